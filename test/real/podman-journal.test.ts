/** Who may write to the journal: everybody. Whose word is taken for a container's: its monitor's alone. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { plugin } from "../../plugins/podman.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { whyNoPodmanJournal } from "./machine.ts"
import { type PrivatePodman, startPodman } from "./podman.ts"
import { until } from "./sandbox.ts"
import { print } from "./writer.ts"

describe.skipIf(whyNoPodmanJournal() !== undefined)("a journal that others write to", () => {
  let podman: PrivatePodman
  beforeAll(async () => {
    podman = await startPodman({ journal: true })
  })
  afterAll(() => podman[Symbol.asyncDispose]())

  const read = async (id: string, logSource: "auto" | "api" = "auto") => {
    const options = { podmanSocket: podman.socket, env: podman.env, logSource }
    await using runtime = plugin.create(runtimeOptions(options))
    const { signal } = new AbortController()
    const container = (await runtime.list(signal)).find((each) => each.id === id)
    if (!container) throw new Error("it is not listed")
    const said: string[] = []
    const whole = { follow: false, signal }
    for await (const { lines } of runtime.read(container, { from: "beginning" }, whole)) {
      said.push(...lines.map(({ message }) => message))
    }
    return { source: container.guarantee.source, said }
  }

  test("tells what a container said, and nothing that another user said in its name", async () => {
    const id = await podman.run({ name: "honest", command: print("mine\n") })
    await podman.exited(id)
    await podman.journald?.forge({ CONTAINER_ID_FULL: id, PRIORITY: "6", MESSAGE: "forged" })
    await until(() => podman.storedEnds(id) === 2, { what: "the journal to hold both" })
    expect(await read(id)).toEqual({ source: "file", said: ["mine"] })
    // Podman itself believes it: else the entry was none.
    expect(await read(id, "api")).toEqual({ source: "api", said: ["mine", "forged"] })
  })
})
