/** How a log's files are written: what a record is in there. */
import type { BlockBuilder } from "./block.ts"
import { parseCri } from "./cri.ts"
import { takeCri } from "./cri-block.ts"
import { parseJsonFile } from "./json-file.ts"
import { takeJsonFile } from "./json-file-block.ts"
import type { LogRecord } from "./record.ts"

/**
 * A record's line: of `text`, one char a byte, what stands from `from` to its line feed; `at` is where it begins in
 * the file. `undefined`: it is no record.
 */
export type ParseRecord = (
  text: string,
  from: number,
  to: number,
  at: number,
) => LogRecord | undefined

/**
 * Takes plain records from `from` on, where one begins, up to `to`, where one has ended. Where it stopped: at the
 * first record that is not plain, or does not fit.
 */
export type TakePlain = (bytes: Buffer, from: number, to: number, into: BlockBuilder) => number

export interface RecordFormat {
  readonly parse: ParseRecord
  /** Absent: each record is parsed by itself. */
  readonly takePlain?: TakePlain
}

export const JSON_FILE: RecordFormat = { parse: parseJsonFile, takePlain: takeJsonFile }

/** And Podman's k8s-file. */
export const CRI: RecordFormat = { parse: parseCri, takePlain: takeCri }
