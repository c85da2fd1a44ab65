/** The app `shop` as a file of numbered lines, which the test writes itself: it knows what there is to come, and when. */
import { appendFileSync, linkSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export class WrittenShop implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), "applogs-written-"))
  readonly #file = join(this.#root, "shop/web.log")
  written = 0

  constructor() {
    mkdirSync(join(this.#root, "shop"))
    this.write(1)
  }

  /** For the executable. */
  get flags(): Readonly<Record<string, string>> {
    return { "--runtime": "files", "--files-root": this.#root }
  }

  /** So many more lines, as an engine stores them, with a millisecond between one and the next. */
  write(lines: number): void {
    const rows = Array.from({ length: lines }, () => {
      const at = new Date(Date.UTC(2026, 0, 1) + this.written++).toISOString()
      return `${at} stdout F line ${this.written}\n`
    })
    appendFileSync(this.#file, rows.join(""))
  }

  /** A line of any other words. */
  say(message: string): void {
    appendFileSync(this.#file, `${new Date().toISOString()} stdout F ${message}\n`)
  }

  /** A file that somebody else writes is the log of another service. */
  adopt(service: string, path: string): void {
    linkSync(path, join(this.#root, `shop/${service}.log`))
  }

  /** What a client that has missed nothing, and has seen nothing twice, has got. */
  get messages(): string[] {
    return Array.from({ length: this.written }, (_, index) => `line ${index + 1}`)
  }

  /** Other services that each have one line. */
  addServices(count: number): void {
    for (let number = 1; number <= count; number++) {
      const path = join(this.#root, `shop/other-${number}.log`)
      appendFileSync(path, "2026-01-01T00:00:00Z stdout F hello\n")
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true })
  }
}
