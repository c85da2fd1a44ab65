/** What only a real Podman brings about: rotation in place, and log files that are anywhere. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { plugin } from "../../plugins/podman.ts"
import type { Container, Runtime } from "../../src/runtime.ts"
import { whyNoPodman } from "../real/machine.ts"
import { type PrivatePodman, startPodman } from "../real/podman.ts"
import { until } from "../real/sandbox.ts"
import { runtimeOptions } from "../runtime-options.ts"

const { signal } = new AbortController()
const BEGINNING = { from: "beginning" } as const
const FOLLOW = { follow: true, signal }
const PRESENT = { follow: false, signal }

describe.skipIf(whyNoPodman() !== undefined)("a real Podman", () => {
  let podman: PrivatePodman
  let runtime: Runtime
  beforeAll(async () => {
    podman = await startPodman()
    runtime = plugin.create(runtimeOptions({ podmanSocket: podman.socket }))
  })
  afterAll(async () => {
    await runtime[Symbol.asyncDispose]()
    await podman[Symbol.asyncDispose]()
  })

  async function listed(id: string): Promise<Container> {
    const container = (await runtime.list(signal)).find((each) => each.id === id)
    if (!container) throw new Error("the container is not listed")
    return container
  }

  test("that rotates a log is followed without a gap, though it deletes what it rotates away", async () => {
    const count = 250_000
    const id = await podman.run({
      name: "rotating",
      logOptions: { "max-size": "9m" },
      command: ["/bin/sh", "-c", `until [ -e /go ]; do sleep 0.05; done; seq ${count}`],
    })
    const { Pid } = (await podman.inspect(id)).State
    let read = 0
    for await (const { gap, lines } of runtime.read(await listed(id), BEGINNING, FOLLOW)) {
      // The first batch says that the log is held open: from then on nothing may be missed.
      if (read === 0) writeFileSync(`/proc/${Pid}/root/go`, "")
      expect(gap).toBeUndefined()
      for (const { message } of lines) expect(Number(message)).toBe((read += 1))
    }
    expect(read).toBe(count)
    expect(podman.storedLines(id).length).toBeLessThan(count)
  })

  test("whose container has ended twice has two unfinished lines, not one", async () => {
    const id = await podman.run({ name: "twice", command: ["/bin/sh", "-c", "printf unfinished"] })
    await podman.exited(id)
    await podman.startContainer(id)
    await until(() => podman.storedLines(id)[0]?.message.length === 20, { what: "the second run" })
    await podman.exited(id)
    const batches = await Array.fromAsync(runtime.read(await listed(id), BEGINNING, PRESENT))
    const messages = batches.flatMap(({ lines }) => lines.map(({ message }) => message))
    expect(messages).toEqual(["unfinished", "unfinished"])
  })

  test("that was told to log elsewhere is read by its API: that file is never opened", async () => {
    const path = join(podman.directory, "elsewhere.log")
    const command = ["/bin/sh", "-c", "echo one; echo two"]
    const id = await podman.run({ name: "elsewhere", logOptions: { path }, command })
    await podman.exited(id)
    const container = await listed(id)
    expect(container.guarantee).toMatchObject({ source: "api", level: "best-effort" })
    const batches = await Array.fromAsync(runtime.read(container, BEGINNING, PRESENT))
    expect(batches.flatMap(({ lines }) => lines.map(({ message }) => message))).toEqual([
      "one",
      "two",
    ])
    const options = runtimeOptions({ podmanSocket: podman.socket, logSource: "file" })
    await using byFile = plugin.create(options)
    const reading = byFile.read(container, BEGINNING, PRESENT)
    await expect(reading[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: "log_driver_unreadable",
    })
  })
})
