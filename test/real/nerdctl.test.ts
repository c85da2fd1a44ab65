/** The harness itself: what other tests take for granted of the private containerd and its nerdctl. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, readFileSync, readlinkSync } from "node:fs"
import { dirname } from "node:path"
import { whyNoNerdctl } from "./machine.ts"
import { type PrivateNerdctl, startNerdctl } from "./nerdctl.ts"
import { isRunning, until } from "./sandbox.ts"
import { SequenceChecker } from "./sequence.ts"
import { logFiles, type StoredLine } from "./stored.ts"
import { printAndWait, writer } from "./writer.ts"

describe.skipIf(whyNoNerdctl() !== undefined)("a private containerd with nerdctl", () => {
  let nerdctl: PrivateNerdctl
  beforeAll(async () => {
    nerdctl = await startNerdctl()
  })
  afterAll(() => nerdctl[Symbol.asyncDispose]())

  test("stores what a writer writes, on both streams", async () => {
    const command = writer({ name: "web", rate: 1000 })
    const id = await nerdctl.run({ name: "web", command, labels: { team: 'a,b="c"' } })
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    const stored = () => nerdctl.storedLines(id)
    await until(() => stored().length >= 1000, { what: "a thousand lines" })
    await nerdctl.stopContainer(id)
    expect(check(stored()).problems()).toEqual([])
    expect(new Set(stored().map(({ stream }) => stream))).toEqual(new Set(["stdout", "stderr"]))
    expect((await nerdctl.inspect(id)).LogPath).toBe(nerdctl.logFile(id))
  })

  test("joins the parts of long lines, and keeps an unfinished line at the end", async () => {
    const long = "a".repeat(40_000)
    const id = await nerdctl.run({ name: "long", command: printAndWait(`1\r\n\n${long}\nend`) })
    const messages = () => nerdctl.storedLines(id).map(({ message }) => message)
    await until(() => messages().at(-1) === "end", { what: "the unfinished line" })
    await nerdctl.stopContainer(id)
    expect(await nerdctl.exited(id)).toBe(0)
    expect(messages()).toEqual(["1\r", "", long, "end"])
    expect(readFileSync(nerdctl.logFile(id), "utf8").split("\n").length).toBeGreaterThan(5)
  })

  test("knows the line ends of a terminal", async () => {
    const command = printAndWait("1\n2\r\n3")
    const id = await nerdctl.run({ name: "tty", tty: true, command })
    const messages = () => nerdctl.storedLines(id).map(({ message }) => message)
    await until(() => messages().at(-1) === "3", { what: "the last line" })
    expect(messages()).toEqual(["1", "2\r", "3"])
    await nerdctl.removeContainer(id)
  })

  test("reads rotated files too, oldest first", async () => {
    const id = await nerdctl.run({
      name: "rotated",
      logOptions: { "max-size": "20k", "max-file": "3" },
      command: writer({ name: "rotated", rate: 2000 }),
    })
    const file = nerdctl.logFile(id)
    await until(() => existsSync(`${file}.3`), { what: "the third rotation" })
    await nerdctl.stopContainer(id)
    // Rotated files are numbered upwards, so the first one is the first to go.
    expect(logFiles(file)).toHaveLength(3)
    expect(existsSync(`${file}.1`)).toBe(false)
    const checker = check(nerdctl.storedLines(id))
    expect(checker.problems()).toEqual([])
    expect(checker.report()[0]?.first).toBeGreaterThan(1)
  })

  test("stops, starts and restarts a container, whose writer then numbers from 1 again", async () => {
    const id = await nerdctl.run({ name: "again", command: writer({ name: "again", rate: 500 }) })
    const runs = () => new Set(nerdctl.storedLines(id).map(({ message }) => message.split(" ")[0]))
    await until(() => runs().has("again.1"), { what: "the first run" })
    await nerdctl.restartContainer(id)
    await until(() => runs().has("again.2"), { what: "the second run" })
    await nerdctl.stopContainer(id)
    expect((await nerdctl.inspect(id)).State).toMatchObject({ Status: "exited", Running: false })
    await nerdctl.startContainer(id)
    await until(() => runs().has("again.3"), { what: "the third run" })
    expect(check(nerdctl.storedLines(id)).problems()).toEqual([])
    await nerdctl.removeContainer(id)
    expect(existsSync(nerdctl.logFile(id))).toBe(false)
  })

  test("knows nothing of another one beside it, and leaves nothing behind", async () => {
    const other = await startNerdctl()
    const directory = dirname(other.address)
    const id = await other.run({ name: "web", command: writer({ name: "other", rate: 10 }) })
    const { State } = await other.inspect(id)
    expect(isRunning(State.Pid)).toBe(true)
    // No mount holds its network namespace, so it goes with its processes.
    const network = readlinkSync(`/proc/${State.Pid}/ns/net`)
    expect(network).not.toBe(readlinkSync("/proc/self/ns/net"))
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(network)
    expect(await other.version()).toBe(await nerdctl.version())
    await expect(nerdctl.inspect(id)).rejects.toThrow(`no such object ${id}`)
    await other[Symbol.asyncDispose]()
    expect(existsSync(directory)).toBe(false)
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(directory)
    expect(isRunning(State.Pid)).toBe(false)
    expect(Bun.spawnSync(["ps", "-eo", "args"]).stdout.toString()).not.toContain(directory)
  })
})

function check(lines: readonly StoredLine[]): SequenceChecker {
  const checker = new SequenceChecker()
  for (const { message } of lines) checker.addMessage(message)
  return checker
}
