/** What the conformance suite does not ask for: nerdctl's own way to rotate, and loggers that end too early. */
import { whyNoNerdctl } from "./machine.ts"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { plugin } from "../../plugins/nerdctl.ts"
import type { Gap, Line, Runtime } from "../../src/runtime.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { type PrivateNerdctl, startNerdctl } from "./nerdctl.ts"
import { loggerOf } from "./nerdctl-processes.ts"
import { PATH } from "./output.ts"
import { signalProcess, until } from "./sandbox.ts"
import { SequenceChecker } from "./sequence.ts"
import { writer } from "./writer.ts"

describe.skipIf(whyNoNerdctl() !== undefined)("logs of a real nerdctl", () => {
  let nerdctl: PrivateNerdctl
  let runtime: Runtime
  beforeAll(async () => {
    nerdctl = await startNerdctl()
    runtime = plugin.create(
      runtimeOptions({
        nerdctl: nerdctl.flags["--nerdctl"],
        containerdAddress: nerdctl.address,
        containerdNamespace: nerdctl.namespace,
        env: { PATH },
      }),
    )
  })
  afterAll(async () => {
    await runtime[Symbol.asyncDispose]()
    await nerdctl[Symbol.asyncDispose]()
  })

  const { signal } = new AbortController()

  async function listed(id: string) {
    const container = (await runtime.list(signal)).find((each) => each.id === id)
    if (!container) throw new Error("it is not listed")
    return container
  }

  test("come whole and in order over rotations and restarts, whose files are numbered anew", async () => {
    const id = await nerdctl.run({
      name: "rotated",
      logOptions: { "max-size": "300k", "max-file": "6" },
      command: writer({ name: "rotated", rate: 2_000 }),
    })
    const file = nerdctl.logFile(id)
    const container = await listed(id)
    const lines: Line[] = []
    const gaps: Gap[] = []
    const abort = new AbortController()
    const follow = async () => {
      const options = { follow: true, signal: abort.signal }
      for await (const batch of runtime.read(container, { from: "beginning" }, options)) {
        if (batch.gap) gaps.push(batch.gap)
        lines.push(...batch.lines)
      }
    }
    const following = follow()
    await until(() => existsSync(`${file}.3`), { what: "the third rotation" })
    await nerdctl.restartContainer(id)
    // The older .2 and .3 are behind the new .1 then.
    const runs = () => lines.filter(({ message }) => message.startsWith("rotated.2")).length
    await until(() => runs() > 4_000, { what: "the second run, rotated" })
    await nerdctl.stopContainer(id)
    await following
    abort.abort()

    const stored = nerdctl.storedLines(id)
    expect(gaps).toEqual([])
    expect(problems(lines)).toEqual([])
    expect(lines.slice(-stored.length).map(({ message }) => message)).toEqual(
      stored.map(({ message }) => message),
    )
    const again: Line[] = []
    for await (const batch of runtime.read(
      container,
      { from: "beginning" },
      { follow: false, signal },
    )) {
      again.push(...batch.lines)
    }
    expect(again.map(({ message }) => message)).toEqual(stored.map(({ message }) => message))
  })

  test("that nobody stores any more are said to be less than exact, until the container is restarted", async () => {
    // One that writes ends when nobody reads it.
    const id = await nerdctl.run({ name: "orphan", command: ["/bin/sh", "-c", "sleep 100000"] })
    expect((await listed(id)).guarantee).toMatchObject({ level: "exact", source: "file" })
    const logger = loggerOf(id)
    if (logger === undefined) throw new Error("it has no logger")
    signalProcess(logger, "SIGKILL")
    await until(async () => (await listed(id)).guarantee.level === "best-effort", {
      what: "the guarantee to be less",
    })
    expect((await listed(id)).guarantee.reason).toContain("nothing stores its output")
    await nerdctl.restartContainer(id)
    expect((await listed(id)).guarantee.level).toBe("exact")
  })
})

function problems(lines: readonly Line[]): readonly string[] {
  const checker = new SequenceChecker()
  for (const { message } of lines) checker.addMessage(message)
  return checker.problems()
}
