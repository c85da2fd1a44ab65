/** The harness itself: what other tests take for granted of the private Podman. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { whyNoPodman } from "./machine.ts"
import { type PrivatePodman, startPodman } from "./podman.ts"
import { isRunning, until } from "./sandbox.ts"
import { SequenceChecker } from "./sequence.ts"
import type { StoredLine } from "./stored.ts"
import { print, writer } from "./writer.ts"

describe.skipIf(whyNoPodman() !== undefined)("a private Podman", () => {
  let podman: PrivatePodman
  beforeAll(async () => {
    podman = await startPodman()
  })
  afterAll(() => podman[Symbol.asyncDispose]())

  test("stores exactly what a writer wrote, on both streams", async () => {
    const command = writer({ name: "web", rate: 5000, lines: 5000, padding: 7 })
    const id = await podman.run({ name: "web", labels: { part: "a b=c" }, command })
    expect(await podman.exited(id)).toBe(0)
    const lines = podman.storedLines(id)
    for (const stream of ["stdout", "stderr"] as const) {
      expect(messages(lines, stream)).toEqual(
        Array.from({ length: 2500 }, (_, index) => {
          return `web.1 ${stream} ${String(index + 1).padStart(10, "0")} xxxxxxx`
        }),
      )
    }
    const time = (line?: StoredLine) => Date.parse(line?.timestamp ?? "")
    expect(time(lines.at(-1)) - time(lines[0])).toBeWithin(700, 10_000)
    expect(Math.abs(Date.now() - time(lines.at(-1)))).toBeLessThan(60_000)
    expect((await podman.inspect(id)).Config).toMatchObject({ Labels: { part: "a b=c" } })
  })

  test("joins the parts of long lines, and keeps an unfinished line", async () => {
    // Parts end after 8192 bytes, which is within one of the characters.
    const long = `a${"ä".repeat(19_998)}b`
    const id = await podman.run({ name: "long", command: print(`1\r\n\n${long}\nend`) })
    expect(await podman.exited(id)).toBe(0)
    expect(readFileSync(podman.logFile(id), "utf8")).toMatch(/ stdout P .*\n/)
    expect(messages(podman.storedLines(id), "stdout")).toEqual(["1\r", "", long, "end"])
  })

  test("knows the line ends of a terminal", async () => {
    const id = await podman.run({ name: "tty", tty: true, command: print("1\n2\r\n3") })
    await podman.exited(id)
    expect(messages(podman.storedLines(id), "stdout")).toEqual(["1", "2\r", "3"])
  })

  test("deletes what it rotates away", async () => {
    const id = await podman.run({
      name: "rotated",
      logOptions: { "max-size": "100k" },
      command: writer({ name: "rotated", rate: 5000, lines: 2500, padding: 100 }),
    })
    await podman.exited(id)
    const log = podman.logFile(id)
    expect(readdirSync(dirname(log)).filter((name) => name.startsWith(basename(log)))).toEqual([
      basename(log),
    ])
    const lines = podman.storedLines(id)
    // The first of each stream may be the rest of a line whose beginning was rotated away.
    const rests = ["stdout", "stderr"].map((way) => lines.findIndex(({ stream }) => stream === way))
    const checker = check(lines.filter((_, index) => !rests.includes(index)))
    expect(checker.problems()).toEqual([])
    expect(checker.report().map(({ last }) => last)).toEqual([1250, 1250])
    expect(checker.report()[0]?.first).toBeGreaterThan(1)
  })

  test("restarts a container, whose writer then numbers from 1 as another run", async () => {
    const id = await podman.run({ name: "again", command: writer({ name: "again", rate: 500 }) })
    const runs = () => new Set(podman.storedLines(id).map(({ message }) => message.split(" ")[0]))
    await until(() => runs().has("again.1"), { what: "the first run" })
    await podman.restartContainer(id)
    await until(() => runs().has("again.2"), { what: "the second run" })
    await podman.killContainer(id)
    expect(await podman.exited(id)).toBe(137)
    await podman.startContainer(id)
    await until(() => runs().has("again.3"), { what: "the third run" })
    await podman.removeContainer(id)
    expect(existsSync(dirname(podman.logFile(id)))).toBe(false)
  })

  test("leaves containers running and logging when the service is killed", async () => {
    const command = writer({ name: "survivor", rate: 2000 })
    const id = await podman.run({ name: "survivor", command })
    const { State } = await podman.inspect(id)
    const more = async (by: number) => {
      const before = podman.storedLines(id).length
      await until(() => podman.storedLines(id).length >= before + by, { what: `${by} more lines` })
    }
    await podman.kill()
    await expect(podman.version()).rejects.toThrow()
    await more(500)
    await podman.start()
    expect((await podman.inspect(id)).State).toMatchObject({ Running: true, Pid: State.Pid })
    await podman.stop()
    await more(500)
    await podman.start()
    await podman.stopContainer(id)
    expect(check(podman.storedLines(id)).problems()).toEqual([])
  })

  test("knows nothing of another one beside it, and leaves nothing behind", async () => {
    const other = await startPodman()
    const directory = dirname(other.socket)
    const id = await other.run({ name: "web", command: writer({ name: "other", rate: 10 }) })
    const { State } = await other.inspect(id)
    expect(isRunning(State.Pid)).toBe(true)
    await expect(podman.inspect(id)).rejects.toThrow("no such container")
    await other[Symbol.asyncDispose]()
    expect(isRunning(State.Pid)).toBe(false)
    expect(existsSync(directory)).toBe(false)
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(directory)
    const processes = Bun.spawnSync(["ps", "-eo", "args"]).stdout.toString()
    expect(processes).not.toContain(directory)
    for (const hierarchy of ["", ...readdirSync("/sys/fs/cgroup")]) {
      expect(existsSync(join("/sys/fs/cgroup", hierarchy, basename(directory)))).toBe(false)
    }
    expect(await podman.version()).not.toBe("")
  })
})

function messages(lines: readonly StoredLine[], of: "stdout" | "stderr"): string[] {
  return lines.filter(({ stream }) => stream === of).map(({ message }) => message)
}

function check(lines: readonly StoredLine[]): SequenceChecker {
  const checker = new SequenceChecker()
  for (const { message } of lines) checker.addMessage(message)
  return checker
}
