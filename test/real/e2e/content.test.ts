/** What containers may write: it comes out as data, exactly, live and from the log, in every format. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { PlainSpec, PrivateRuntime } from "../runtime.ts"
import { until } from "../sandbox.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { Follower } from "./follower.ts"
import { HOSTILE } from "./hostile.ts"
import { describeReal, startRuntime, testWith } from "./runtime.ts"
import { readText } from "./wire.ts"

interface Piece {
  readonly service: string
  readonly timestamp: string
  readonly message: string
  readonly partial?: true
}

describeReal("a container that writes", () => {
  let real: PrivateRuntime
  let applogs: Applogs
  let live: Follower
  beforeAll(async () => {
    real = await startRuntime()
    await real.run({
      name: "odd-silent",
      labels: { "applogs.app": "odd", "applogs.service": "silent" },
      command: ["/bin/sh", "-c", "trap exit TERM; sleep 600 & wait"],
    })
    applogs = await startApplogs(real)
    live = new Follower(applogs, "odd", "")
    await live.connect()
    await live.readUntil(() => live.lastId !== "", "the first ping")
  })
  afterAll(async () => {
    await applogs?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  for (const [index, { title, command, tty = false, written }] of HOSTILE.entries()) {
    test(`${title} (to a file)`, async () => {
      const name = `odd-file-${index}`
      await expectMessages(name, await store({ name, labels: labelsOf(name), command, tty }))
    })

    // What `local` stored nobody but the engine can read: it is held against what was written.
    if (written === undefined) continue
    testWith("local driver", `${title} (local)`, async () => {
      const name = `odd-local-${index}`
      const logDriver = "local"
      await real.exited(await real.run({ name, labels: labelsOf(name), command, tty, logDriver }))
      await expectMessages(name, written)
    })
  }

  const labelsOf = (service: string) => ({ "applogs.app": "odd", "applogs.service": service })

  /** Runs a container to its end: what is kept of it. Nerdctl may keep nothing, and then it is run again. */
  async function store(spec: PlainSpec): Promise<readonly string[]> {
    const id = await real.run(spec)
    const stored = async () => {
      await real.exited(id)
      const messages = real.storedLines(id).map(({ message }) => message)
      if (messages.length > 0) return messages
      await real.startContainer(id)
      return false
    }
    return until(stored, { what: `lines of ${spec.name}` })
  }

  /** In snapshots and on the stream. The container has ended, and is called as its service is. */
  async function expectMessages(name: string, messages: readonly string[]): Promise<void> {
    const ndjson = await applogs.getText(
      `/api/apps/odd/logs?service=${name}&tail=all&format=ndjson`,
    )
    const pieces = ndjson
      .split("\n")
      .slice(0, -1)
      .map((row) => JSON.parse(row) as Piece)
    expectSame(join(pieces), messages)

    const text = await applogs.getText(`/api/apps/odd/logs?service=${name}&tail=all&ansi=raw`)
    const rows = pieces.map(({ timestamp, message }) => `${timestamp} ${name} | ${message}\n`)
    expect(text === rows.join("")).toBe(true)

    const ours = () => live.lines.filter(({ container }) => container === name)
    const isWhole = () =>
      live.told.some(({ data }) => data["container"] === name && data["state"] === "exited") &&
      ours().length >= pieces.length
    await live.readUntil(isWhole, "all of it, live")
    expectSame(join(ours()), messages)
    expect(live.gaps).toEqual([])
  }

  test("and has stopped since: 200, with its last lines", async () => {
    const command = ["/bin/sh", "-c", "seq 1 500; exit 3"]
    const messages = await store({ name: "stopped", command })
    const text = await applogs.getText("/api/apps/stopped/logs?tail=5")
    expect(text.replaceAll(/^.* \| /gm, "")).toBe(`${messages.slice(-5).join("\n")}\n`)
    // That it has is told a moment later, on a busy machine.
    const isTold = async () =>
      (await applogs.getText("/api/apps/stopped")).includes('"state":"exited"')
    await until(isTold, { what: "the container to be told as exited" })
  })

  testWith(
    "unreadable logs",
    "to a driver that keeps nothing: 501, and a gap on the stream",
    async () => {
      await real.run({
        name: "unkept",
        logDriver: "none",
        command: ["/bin/sh", "-c", "echo hello; trap exit TERM; sleep 600 & wait"],
      })
      const answer = await applogs.get("/api/apps/unkept/logs")
      expect(answer.status).toBe(501)
      expect(JSON.parse(await readText(answer))).toMatchObject({
        status: 501,
        code: "log_driver_unreadable",
      })
      const follower = new Follower(applogs, "unkept", "")
      await follower.connect()
      await follower.readUntil(() => follower.gaps.length > 0, "a gap")
      follower.cut()
      expect(follower.gaps[0]?.data).toMatchObject({ service: "unkept", reason: "unreadable" })
      const isTold = async () =>
        (await applogs.getText("/api/apps/unkept")).includes('"level":"unreadable"')
      await until(isTold, { what: "the directory to say that nothing is kept" })
    },
  )
})

/** Lines of more than a mebibyte come in pieces. */
function join(pieces: readonly { message: string; partial?: true }[]): string[] {
  const whole: string[] = []
  let open = ""
  for (const { message, partial } of pieces) {
    open += message
    if (partial) continue
    whole.push(open)
    open = ""
  }
  return open === "" ? whole : [...whole, open]
}

/** Lines may be megabytes long. */
function expectSame(actual: readonly string[], expected: readonly string[]): void {
  const short = (lines: readonly string[]) =>
    lines.map((line) => (line.length > 200 ? `${line.slice(0, 100)}… (${line.length})` : line))
  expect(short(actual)).toEqual(short(expected))
  expect(actual.every((line, index) => line === expected[index])).toBe(true)
}
