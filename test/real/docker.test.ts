/** The harness itself: what other tests take for granted of the private engine. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type PrivateDocker, startDocker } from "./docker.ts"
import { whyNoDocker } from "./machine.ts"
import { isRunning, sweep, until } from "./sandbox.ts"
import { SequenceChecker } from "./sequence.ts"
import { logFiles, type StoredLine } from "./stored.ts"
import { print, writer } from "./writer.ts"

describe.skipIf(whyNoDocker() !== undefined)("a private Docker Engine", () => {
  let docker: PrivateDocker
  beforeAll(async () => {
    docker = await startDocker()
  })
  afterAll(() => docker[Symbol.asyncDispose]())

  test("stores exactly what a writer wrote, on both streams, at the rate asked for", async () => {
    const command = writer({ name: "web", rate: 5000, lines: 5000, padding: 7 })
    const id = await docker.run({ name: "web", command })
    expect(await docker.exited(id)).toBe(0)
    const lines = docker.storedLines(id)
    for (const stream of ["stdout", "stderr"] as const) {
      expect(messages(lines, stream)).toEqual(
        Array.from({ length: 2500 }, (_, index) => {
          return `web.1 ${stream} ${String(index + 1).padStart(10, "0")} xxxxxxx`
        }),
      )
    }
    const tookMs = Date.parse(lines.at(-1)?.timestamp ?? "") - Date.parse(lines[0]?.timestamp ?? "")
    expect(tookMs).toBeWithin(700, 10_000)
  })

  test("stores the lines of a slow writer one by one, not by the buffer", async () => {
    const command = writer({ name: "slow", rate: 20, streams: ["stdout"] })
    const id = await docker.run({ name: "slow", command })
    await until(() => docker.storedLines(id).length > 0, { what: "the first line" })
    expect(docker.storedLines(id).length).toBeLessThan(20)
    await docker.removeContainer(id)
  })

  test("joins the parts of long lines, and keeps an unfinished line", async () => {
    const long = "a".repeat(40_000)
    const id = await docker.run({ name: "long", command: print(`1\r\n\n${long}\nend`) })
    await docker.exited(id)
    expect(messages(docker.storedLines(id), "stdout")).toEqual(["1\r", "", long, "end"])
  })

  test("knows the line ends of a terminal", async () => {
    const id = await docker.run({ name: "tty", tty: true, command: print("1\n2\r\n3") })
    await docker.exited(id)
    expect(messages(docker.storedLines(id), "stdout")).toEqual(["1", "2\r", "3"])
  })

  test("reads rotated files too, oldest first", async () => {
    const id = await docker.run({
      name: "rotated",
      logOptions: { "max-size": "100k", "max-file": "3" },
      command: writer({ name: "rotated", rate: 5000, lines: 2500, padding: 100 }),
    })
    await docker.exited(id)
    expect(logFiles(docker.logFile(id))).toHaveLength(3)
    const checker = check(docker.storedLines(id))
    expect(checker.problems()).toEqual([])
    expect(checker.report().map(({ last }) => last)).toEqual([1250, 1250])
    expect(checker.report()[0]?.first).toBeGreaterThan(1)
  })

  test("restarts a container, whose writer then numbers from 1 as another run", async () => {
    const id = await docker.run({ name: "again", command: writer({ name: "again", rate: 500 }) })
    const runs = () => new Set(docker.storedLines(id).map(({ message }) => message.split(" ")[0]))
    await until(() => runs().has("again.1"), { what: "the first run" })
    await docker.restartContainer(id)
    await until(() => runs().has("again.2"), { what: "the second run" })
    await docker.removeContainer(id)
    expect(existsSync(dirname(docker.logFile(id)))).toBe(false)
  })

  test("leaves containers running and logging when the daemon is killed", async () => {
    const id = await docker.run({
      name: "survivor",
      command: writer({ name: "survivor", rate: 2000 }),
    })
    const { State } = await docker.inspect(id)
    const more = async (by: number) => {
      const before = docker.storedLines(id).length
      await until(() => docker.storedLines(id).length >= before + by, { what: `${by} more lines` })
    }
    await more(500)
    await docker.kill()
    expect(isRunning(State.Pid)).toBe(true)
    await docker.start()
    expect((await docker.inspect(id)).State).toMatchObject({ Running: true, Pid: State.Pid })
    await more(500)
    await docker.stop()
    await docker.start()
    await more(500)
    await docker.stopContainer(id)
    // The daemon may lose what it had in hand when it was killed, but no line comes twice.
    const [stderr, stdout] = check(docker.storedLines(id)).report()
    expect([stderr?.doubled, stderr?.reordered]).toEqual([[], []])
    expect([stdout?.doubled, stdout?.reordered]).toEqual([[], []])
  })

  test("does not answer while it is frozen", async () => {
    docker.freeze()
    const answer = docker.version()
    expect(await Promise.race([answer, Bun.sleep(300).then(() => "nothing")])).toBe("nothing")
    docker.thaw()
    expect(await answer).not.toBe("")
  })

  test("knows nothing of another one beside it, and leaves nothing behind", async () => {
    const other = await startDocker({ liveRestore: false })
    const directory = dirname(other.socket)
    const id = await other.run({ name: "web", command: writer({ name: "other", rate: 10 }) })
    const { State } = await other.inspect(id)
    await expect(docker.inspect(id)).rejects.toThrow("404")
    await other[Symbol.asyncDispose]()
    expectNothingLeft(directory, State.Pid)
    expect(await docker.version()).not.toBe("")
  })

  test("is swept by the next test run when its own was killed", async () => {
    const run = Bun.spawn([process.execPath, join(import.meta.dir, "abandoned-fixture.ts")], {
      stdout: "pipe",
      stderr: "inherit",
    })
    const { value } = await run.stdout.getReader().read()
    const directory = dirname(new TextDecoder().decode(value).trim())
    expect(existsSync(directory)).toBe(true)
    run.kill("SIGKILL")
    await run.exited
    await sweep()
    // Another test run may have been the first to sweep it, and be at it still.
    await until(() => !existsSync(directory), { what: "the directory to be swept" })
    expectNothingLeft(directory)
    expect(await docker.version()).not.toBe("")
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

function expectNothingLeft(directory: string, container?: number): void {
  expect(existsSync(directory)).toBe(false)
  expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(directory)
  if (container !== undefined) expect(isRunning(container)).toBe(false)
  const processes = Bun.spawnSync(["ps", "-eo", "args"]).stdout.toString()
  expect(processes).not.toContain(directory)
}
