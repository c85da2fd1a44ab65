/**
 * Random lives of a log file: written to in pieces, renamed while its program still writes to it, packed; and read in
 * pieces, by applogs that is started anew. Each line comes once, in order, and there is never a gap.
 */
import { describe, expect, test } from "bun:test"
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import fc from "fast-check"
import { plugin } from "../../plugins/files.ts"
import type { Start } from "../../src/runtime.ts"
import { type Instant, shift } from "../../src/time.ts"
import { HISTORIES, SEED } from "../logapi/histories.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { FilesRoot } from "./files-root.ts"

const NUM_RUNS = Math.ceil(HISTORIES / 500)

type Step =
  /** A line, so many nanoseconds later; `half`: its end comes with the next one. */
  | { readonly do: "write"; readonly tick: number; readonly odd: boolean; readonly half: boolean }
  | { readonly do: "rotate" }
  /** The program opens the new file. */
  | { readonly do: "reopen" }
  | { readonly do: "pack" }
  | { readonly do: "read"; readonly take: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      tick: fc.constantFrom(0, 0, 1, 5, 3_000_000_000, -2, -5_000_000_000),
      odd: fc.boolean(),
      half: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "rotate" } as const) },
  { weight: 2, arbitrary: fc.constant({ do: "reopen" } as const) },
  { weight: 1, arbitrary: fc.constant({ do: "pack" } as const) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("read" as const), take: fc.nat(6) }) },
)

interface Form {
  readonly name: string
  /** A line as it is written, without its line feed. `odd`: on stderr, or without a time. */
  readonly write: (message: string, at: Instant, odd: boolean) => string
  /** A packed file is another one, in which lines without a time bear another. */
  readonly packs: boolean
}

const FORMS: readonly Form[] = [
  {
    name: "json-file",
    write: (message, time, odd) =>
      JSON.stringify({ log: `${message}\n`, stream: odd ? "stderr" : "stdout", time }),
    packs: true,
  },
  {
    name: "CRI",
    write: (message, at, odd) => `${at} ${odd ? "stderr" : "stdout"} F ${message}`,
    packs: true,
  },
  { name: "plain with times", write: (message, at) => `${at} ${message}`, packs: true },
  {
    name: "plain with times here and there",
    write: (message, at, odd) => (odd ? `  ${message}` : `${at} ${message}`),
    packs: false,
  },
  { name: "plain without times", write: (message) => message, packs: false },
]

class Life {
  readonly #form: Form
  readonly #path: string
  /** What the program writes to, whatever it is called now. */
  #file: number
  #isRenamed = false
  #files = 0
  #at = "2026-08-20T12:00:00.000000000Z" as Instant
  #half = ""
  /** The messages, in their order. */
  readonly lines: string[] = []

  constructor(form: Form, path: string) {
    this.#form = form
    this.#path = path
    this.#file = openSync(path, "a")
  }

  write({ tick, odd, half }: Step & { do: "write" }): void {
    this.#at = shift(this.#at, BigInt(tick))
    const message = `line ${this.lines.length}`
    this.lines.push(message)
    const bytes = `${this.#form.write(message, this.#at, odd)}\n`
    const cut = half ? Math.floor(bytes.length / 2) : bytes.length
    writeSync(this.#file, this.#half + bytes.slice(0, cut))
    this.#half = bytes.slice(cut)
  }

  rotate(): void {
    const name = (age: number, end = "") => `${this.#path}.${age}${end}`
    for (let age = this.#files; age > 0; age--) {
      for (const end of ["", ".gz"]) {
        if (existsSync(name(age, end))) renameSync(name(age, end), name(age + 1, end))
      }
    }
    renameSync(this.#path, name(1))
    writeFileSync(this.#path, "")
    this.#files++
    this.#isRenamed = true
  }

  reopen(): void {
    writeSync(this.#file, this.#half)
    this.#half = ""
    closeSync(this.#file)
    this.#file = openSync(this.#path, "a")
    this.#isRenamed = false
  }

  /** The oldest file that is not packed yet, if nobody writes to it. */
  pack(): void {
    if (!this.#form.packs || this.#isRenamed) return
    for (let age = this.#files; age > 0; age--) {
      const path = `${this.#path}.${age}`
      if (!existsSync(path)) continue
      writeFileSync(`${path}.gz`, Bun.gzipSync(readFileSync(path)))
      rmSync(path)
      return
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

async function play(form: Form, history: readonly Step[]): Promise<number> {
  await using root = new FilesRoot()
  using life = new Life(form, root.write("shop/web.log", ""))
  const container = await root.container("shop-web")
  const { signal } = new AbortController()
  const got: string[] = []
  let start: Start = { from: "beginning" }
  let resumes = 0

  async function read(take: number): Promise<void> {
    await using runtime = plugin.create(runtimeOptions({ filesRoot: root.path }))
    let left = take
    if (start.from === "position") resumes++
    for await (const batch of runtime.read(container, start, { follow: false, signal })) {
      if (batch.gap) throw new Error(`a gap without a reason: ${batch.gap.reason}`)
      for (const { message, position } of batch.lines) {
        if (left-- === 0) return
        got.push(/line \d+$/.exec(message)?.[0] ?? message)
        start = { from: "position", position }
      }
      start = { from: "position", position: batch.position }
    }
  }

  for (const each of history) {
    if (each.do === "write") life.write(each)
    else if (each.do === "read") await read(each.take)
    else life[each.do]()
  }
  life.reopen()
  await read(1_000)
  expect(got).toEqual(life.lines)
  return resumes
}

describe("a log file's life:", () => {
  for (const form of FORMS) {
    test(
      form.name,
      async () => {
        let resumes = 0
        const histories = fc.array(step, { minLength: 3, maxLength: 40, size: "max" })
        const property = fc.asyncProperty(histories, async (history) => {
          resumes += await play(form, history)
        })
        await fc.assert(property, { numRuns: NUM_RUNS, seed: SEED })
        console.log(`${form.name}: seed ${SEED}, ${NUM_RUNS} lives, ${resumes} resumes`)
        expect(resumes).toBeGreaterThan(NUM_RUNS / 2)
      },
      600_000,
    )
  }
})
