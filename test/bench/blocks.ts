/** The ways of plain lines: as bytes in blocks, beside the same as records and lines. Each gives how many it made. */
import type { Member } from "../../src/apps/app.ts"
import { encodeBlock } from "../../src/http/block.ts"
import { encodeSse } from "../../src/http/sse.ts"
import { createTextRow } from "../../src/http/text.ts"
import { AnchorTracker } from "../../src/logapi/anchor.ts"
import { PlacedBlock } from "../../src/logapi/placed-block.ts"
import { Block, type Records } from "../../src/records/block.ts"
import { JSON_FILE } from "../../src/records/format.ts"
import { FrameBlocks } from "../../src/records/frame-blocks.ts"
import { PlainBlocks } from "../../src/records/plain-blocks.ts"
import type { LogRecord } from "../../src/records/record.ts"
import type { Line } from "../../src/runtime.ts"
import { Scratch } from "../../src/scratch.ts"

/** As much as is decoded at once of a file. */
const CHUNK = 131_072

export function blocksOfFrames(body: Buffer): PlacedBlock[] {
  const decoder = new FrameBlocks()
  const all: Records[] = []
  for (let at = 0; at < body.length; at += CHUNK) {
    // A copy: what comes from a socket is in another buffer each time.
    decoder.push(Buffer.from(body.subarray(at, at + CHUNK)), all)
  }
  const before = new AnchorTracker(true)
  return all.flatMap((some) => (some instanceof Block ? new PlacedBlock(some, before) : []))
}

/** As the engine writes them. */
export function jsonFile(records: readonly LogRecord[]): Buffer {
  const lines = records.map(({ stream, timestamp, text }) => {
    return `{"log":${JSON.stringify(`${text}\n`)},"stream":"${stream}","time":"${timestamp}"}\n`
  })
  return Buffer.from(lines.join(""), "latin1")
}

export function recordsOfJsonFile(file: Buffer): number {
  let count = 0
  for (const [from, to] of pieces(file)) {
    const text = file.toString("latin1", from, to)
    for (let at = 0; at < text.length;) {
      const feed = text.indexOf("\n", at)
      if (JSON_FILE.parse(text, at, feed, at)) count++
      at = feed + 1
    }
  }
  return count
}

export function blocksOfJsonFile(file: Buffer): number {
  return sum(file, (block) => block.length)
}

export function jsonFileToText(file: Buffer, member: Member): number {
  const row = createTextRow([member.service], "keep")
  return encodeAll(file, (line) => row({ member, line }), false)
}

export function jsonFileToSse(file: Buffer, member: Member): number {
  const around = (position: string) => `v1.dq1k2l3m4n5o.0123456789ab${position}`
  return encodeAll(
    file,
    (line) => encodeSse({ type: "log", member, line, cursor: around(line.position) }, false),
    true,
  )
}

function encodeAll(file: Buffer, encode: (line: Line) => string, inJson: boolean): number {
  const scratch = new Scratch()
  const before = new AnchorTracker(true)
  return sum(file, (block) => {
    const bytes = encodeBlock(new PlacedBlock(block, before), encode, inJson, scratch)
    return bytes.length > 0 ? block.length : 0
  })
}

function sum(file: Buffer, work: (block: Block) => number): number {
  let count = 0
  for (const [from, to] of pieces(file)) {
    const block = new PlainBlocks(file.subarray(from, to), "json-file").take(0)
    if (block) count += work(block)
  }
  return count
}

/** Whole lines. */
function* pieces(file: Buffer): Generator<readonly [from: number, to: number]> {
  for (let from = 0; from < file.length;) {
    const to = file.lastIndexOf("\n", Math.min(file.length, from + CHUNK) - 1) + 1
    yield [from, to]
    from = to
  }
}
