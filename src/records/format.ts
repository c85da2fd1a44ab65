/** How a log's files are written: what a record is in there. */
import { parseCri } from "./cri.ts"
import { parseJsonFile } from "./json-file.ts"
import type { PlainFormat } from "./plain-blocks.ts"
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

export interface RecordFormat {
  readonly parse: ParseRecord
  /** In which plain records can be taken many at a time. Absent: each record is parsed by itself. */
  readonly plain?: PlainFormat
}

export const JSON_FILE: RecordFormat = { parse: parseJsonFile, plain: "json-file" }

/** Of a writer that may end a record anywhere in a line. */
export const JSON_FILE_IN_PARTS: RecordFormat = {
  parse: parseJsonFile,
  plain: "json-file in parts",
}

/** And Podman's k8s-file. */
export const CRI: RecordFormat = { parse: parseCri, plain: "cri" }
