// For authors of plugins, whose own settings name their own files alone.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./wasm.d.ts" />
/**
 * The innermost loops over the bytes of blocks, in WebAssembly: it reads eight bytes at a time, which JavaScript cannot.
 * They are written in AssemblyScript, in `assembly/`, and compiled by `make`. All that they keep is the block that was
 * begun, until the next one is, and the last second that was met.
 */
import { readFileSync } from "node:fs"
import file from "./kernels.wasm" with { type: "file" }

/** Of where something stands in the kernels' memory, in bytes. */
export type Address = number

/** From where a record begins up to where one has ended; where it stopped. */
type Take = (from: Address, to: Address) => Address

interface Kernels {
  readonly memory: WebAssembly.Memory
  /** Memory from here on is for whoever calls. */
  readonly room: { readonly value: Address }

  /**
   * Begins a block: room for its columns, how many records it may have at most, where its bytes are, and whether a record
   * without a line feed is a part of a line.
   */
  begin(columns: Address, most: number, bytes: Address, joins: boolean): void
  /** How many records it has, of so many lines. */
  readonly length: { readonly value: number }
  readonly lines: { readonly value: number }
  /** Records into it. */
  readonly takeJsonFile: Take
  readonly takeCri: Take
  readonly takeFrames: Take

  /** The positions of a block's lines, one behind the other, and where each one ends; where the last one does. */
  writePositions(
    block: Address,
    /** How many records before the block bear the time of its first one. */
    counted: number,
    /** The hashes of the last ones of these, and room for those of the block behind them. */
    hashes: Address,
    hashed: number,
    out: Address,
    outEnds: Address,
  ): Address

  /** The lines of a block as rows, each of the literals of its stream's, and of what is its own; where the last one ends. */
  writeRows(
    block: Address,
    positions: Address,
    positionEnds: Address,
    stdout: Address,
    stderr: Address,
    out: Address,
  ): Address
}

const module = new WebAssembly.Module(readFileSync(file))

export const kernels = new WebAssembly.Instance(module).exports as unknown as Kernels
