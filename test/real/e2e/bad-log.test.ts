/** A log file that somebody damages while it is read: what is gone is said to be gone, and nobody else is hurt. */
import { afterAll, afterEach, beforeAll, expect } from "bun:test"
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import type { PrivateRuntime } from "../runtime.ts"
import { writer } from "../writer.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { checkNumbered } from "./numbered.ts"
import { describeReal, startRuntime, testByFile } from "./runtime.ts"
import { readText } from "./wire.ts"

const OTHERWISE = "the engine reads its files itself"

/** Of a k8s-file and of a json-file, as if somebody's secrets were kept in one. */
const SECRET = [
  "2026-08-20T12:34:56.000000000Z stdout F secret",
  '{"log":"secret\\n","stream":"stdout","time":"2026-08-20T12:34:56Z"}',
].join("\n")

/** What is written into a file between the container's own records. */
const DIRT: readonly (readonly [title: string, bytes: Buffer])[] = [
  ["filled with NULs", Buffer.alloc(65_536)],
  ["cut inside a UTF-8 sequence", Buffer.from('{"log":"caf\u00e9').subarray(0, -1)],
  ["given two megabytes without a line end", Buffer.alloc(2_097_152, "x")],
  [
    "given records with words that they may not have",
    Buffer.from('{"log":1,"stream":[],"time":{}}\nnull\n[]\n'),
  ],
]

/** What may stand in a log file's place. */
const STRANGERS: readonly (readonly [
  title: string,
  put: (path: string) => void,
  take: (path: string) => void,
])[] = [
  ["a FIFO", (path) => void Bun.spawnSync(["mkfifo", path]), (path) => rmSync(path)],
  ["a directory", (path) => mkdirSync(path), (path) => rmdirSync(path)],
  [
    "a link to somebody else's file",
    (path) => {
      writeFileSync(`${path}.secret`, `${SECRET}\n`)
      symlinkSync(`${path}.secret`, path)
    },
    (path) => rmSync(path),
  ],
]

describeReal("a log file that is", () => {
  let real: PrivateRuntime
  let applogs: Applogs
  let calm: Follower
  let calmId = ""
  const streams: Follower[] = []

  beforeAll(async () => {
    real = await startRuntime()
    calmId = await real.run({ name: "calm", command: writer({ name: "calm", rate: 200 }) })
    applogs = await startApplogs(real)
    calm = new Follower(applogs, "calm", "tail=all")
    await calm.connect()
  })
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.cut()
  })
  afterAll(async () => {
    await applogs?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  for (const [title, bytes] of DIRT) {
    testByFile(OTHERWISE, `${title}: a gap, and every whole line around it`, async () => {
      const { id, name, stream } = await openStream()
      appendFileSync(real.logFile(id), bytes)
      await stream.readUntil(() => stream.gaps.length > 0, "a gap")
      await more(stream, 100)
      await readToEnd(id, name, stream)
      // It reads the same to whoever comes later.
      const later = await follow(name)
      await later.readUntil(() => later.lines.length >= stream.lines.length, "the same lines")
      expect(later.lines).toEqual(stream.lines)
      expect(later.gaps.map(({ at }) => at)).toEqual(stream.gaps.map(({ at }) => at))
      await expectCalm()
      cleanse(real.logFile(id), bytes)
      expectWhole(id, name, stream)
    })
  }

  testByFile(OTHERWISE, "truncated: a gap, and what is written from then on", async () => {
    const { id, name, stream } = await openStream()
    truncateSync(real.logFile(id))
    await stream.readUntil(() => stream.gaps.length > 0, "a gap")
    await more(stream, 100)
    await readToEnd(id, name, stream)
    expectWhole(id, name, stream)
    await expectCalm()
  })

  testByFile(OTHERWISE, "deleted: a gap, and what is written once there is one again", async () => {
    const { id, name, stream } = await openStream()
    rmSync(real.logFile(id))
    await stream.readUntil(() => stream.gaps.length > 0, "a gap")
    const { at } = stream.gaps[0] ?? {}
    // The runtime writes on to what has no name any more, until it opens its file anew.
    await real.restartContainer(id)
    const isNew = () => stream.lines.at(-1)?.message.startsWith(`${name}.2 `) === true
    await stream.readUntil(isNew, "a line of the second run")
    const first = stream.lines.findIndex(({ message }) => message.startsWith(`${name}.2 `))
    expect(at).toBeLessThanOrEqual(first)
    await more(stream, 100)
    await expectCalm()
    await real.removeContainer(id)
  })

  testByFile(OTHERWISE, "cut short inside a character: all that stands before it", async () => {
    const command = ["/bin/sh", "-c", "echo caf\u00e9 1; echo caf\u00e9 2; echo caf\u00e9 3"]
    const id = await real.run({ name: "short", command })
    await real.exited(id)
    const file = real.logFile(id)
    truncateSync(file, readFileSync(file).lastIndexOf("\u00e9") + 1)
    const text = await applogs.getText("/api/apps/short/logs?tail=all")
    expect(text.replaceAll(/^.* \| /gm, "")).toBe("caf\u00e9 1\ncaf\u00e9 2\n")
    await expectCalm()
  })

  for (const [title, put, take] of STRANGERS) {
    testByFile(
      OTHERWISE,
      `replaced by ${title}: said so, and read on when it is back`,
      async () => {
        const { id, name, stream } = await openStream()
        const file = real.logFile(id)
        renameSync(file, `${file}.aside`)
        put(file)
        const isTold = () => stream.told.some(({ type }) => type === "problem")
        await stream.readUntil(isTold, "a problem")
        const answer = await applogs.get(`/api/apps/${name}/logs`)
        expect(answer.status).toBe(503)
        const problem = JSON.parse(await readText(answer)) as { code: string; detail: string }
        expect(problem.code).toBe("log_unreadable")
        expect(problem.detail).toContain(file)
        const told = stream.told.find(({ type }) => type === "problem")
        expect(told?.data).toMatchObject({ code: "log_unreadable", detail: problem.detail })
        await expectCalm()

        take(file)
        renameSync(`${file}.aside`, file)
        await more(stream, 100)
        await readToEnd(id, name, stream)
        expectWhole(id, name, stream)
        expect(stream.gaps).toEqual([])
      },
    )
  }

  async function openStream() {
    const name = `damaged-${Bun.randomUUIDv7().slice(-12)}`
    const id = await real.run({ name, command: writer({ name, rate: 200 }) })
    const stream = await follow(name)
    await more(stream, 100)
    return { id, name, stream }
  }

  async function follow(name: string): Promise<Follower> {
    const stream = new Follower(applogs, name, "tail=all")
    streams.push(stream)
    await stream.connect()
    return stream
  }

  /** Ends the container, and reads on to its last line. */
  async function readToEnd(id: string, name: string, stream: Follower): Promise<void> {
    await real.stopContainer(id)
    const log = readFileSync(real.logFile(id), "latin1")
    const last = [...log.matchAll(new RegExp(`${name}\\.1 std\\w+ \\d{10} x*`, "g"))].at(-1)?.[0]
    await stream.readUntil(() => stream.lines.at(-1)?.message === last, "the last line")
  }

  /** What the container wrote has come, or is missing behind a gap. */
  function expectWhole(id: string, name: string, stream: Follower): void {
    const ledger = new Ledger()
    checkNumbered(ledger, name, stream, new Map([[name, real.storedLines(id)]]))
    console.log(`${ledger.report}, ${stream.gaps.length} gaps`)
    expect(ledger.faults).toEqual([])
    expect(stream.connects).toBe(1)
  }

  /** The app beside it has got every line, and the service is well. */
  async function expectCalm(): Promise<void> {
    await more(calm, 100)
    const ledger = new Ledger()
    ledger.check("calm", calm.lines, real.storedLines(calmId), { from: 0 })
    expect(ledger.faults).toEqual([])
    expect(calm.gaps).toEqual([])
    expect((await applogs.get("/healthz")).status).toBe(200)
    expect(applogs.log()).not.toContain("level=error")
  }

  async function more(stream: Follower, lines: number): Promise<void> {
    const wanted = stream.lines.length + lines
    await stream.readUntil(() => stream.lines.length >= wanted, `${lines} more lines`)
  }
})

/** Takes the dirt out of a log again, with the record behind it on the same line. */
function cleanse(file: string, dirt: Buffer): void {
  const log = readFileSync(file)
  const at = log.indexOf(dirt)
  const end = log.indexOf("\n", at + dirt.length - 1) + 1
  writeFileSync(file, Buffer.concat([log.subarray(0, at), log.subarray(end)]))
}
