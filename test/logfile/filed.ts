/** A model's log that is also written to real files, json-file by json-file, and read from there. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { RecordRequest } from "../../src/logapi/source.ts"
import { fileRecords } from "../../src/logfile/source.ts"
import { JSON_FILE } from "../../src/records/format.ts"
import type { Records } from "../../src/records/block.ts"
import type { LogRecord } from "../../src/records/record.ts"
import type { StreamName } from "../../src/runtime.ts"
import type { Instant } from "../../src/time.ts"
import { ModelLog } from "../logapi/model.ts"

export function toJsonFile({ stream, timestamp, text, ended }: LogRecord): string {
  const time = timestamp.replace(/\.?0*Z$/, "Z")
  return `${JSON.stringify({ log: ended ? `${text}\n` : text, stream, time })}\n`
}

export class FiledLog extends ModelLog implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "applogs-logfile-"))
  readonly path = join(this.#directory, "log")

  constructor() {
    super(true)
    writeFileSync(this.path, "")
  }

  override open(request: RecordRequest, signal: AbortSignal): AsyncGenerator<Records, void> {
    const { path, rules } = this
    const source = fileRecords({
      path,
      rules,
      format: JSON_FILE,
      rotation: "number",
      running: () => this.running(),
    })
    return source.open(request, signal) as AsyncGenerator<Records, void>
  }

  override append(stream: StreamName, timestamp: Instant, text: string, ended: boolean): void {
    super.append(stream, timestamp, text, ended)
    const record = this.records.at(-1)
    if (record) appendFileSync(this.path, toJsonFile(record))
  }

  /** What is left stands in up to three files, one of them compressed; the newest may be empty. */
  override rotate(count: number): void {
    super.rotate(count)
    const third = Math.ceil(this.records.length / 3)
    const [oldest, older, newest] = [0, 1, 2].map((part) =>
      this.records
        .slice(part * third, (part + 1) * third)
        .map(toJsonFile)
        .join(""),
    )
    rmSync(`${this.path}.2.gz`, { force: true })
    writeFileSync(`${this.path}.2.gz`, Bun.gzipSync(Buffer.from(oldest ?? "")))
    writeFileSync(`${this.path}.1`, older ?? "")
    // Another file, not the same one with other content.
    rmSync(this.path)
    writeFileSync(this.path, newest ?? "")
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true })
  }
}
