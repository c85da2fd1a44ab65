import { describe, expect, test } from "bun:test"
import { chooseRuntime, openRuntime } from "../../src/commands/runtime.ts"
import { RUNTIME_API, type Runtime, type RuntimePlugin } from "../../src/runtime.ts"
import { UsageError } from "../../src/usage.ts"
import { runtimeOptions } from "../runtime-options.ts"

const options = runtimeOptions()

function pluginOf(
  name: string,
  answer: "answers" | "fails" | "hangs",
  log: string[],
): RuntimePlugin {
  return {
    name,
    api: RUNTIME_API,
    guarantees: [],
    create: (): Runtime => ({
      name,
      async ping() {
        log.push(`ping ${name}`)
        if (answer === "fails") throw new Error("no")
        if (answer === "hangs") await new Promise(() => {})
        return { version: "1" }
      },
      list: async () => [],
      async *watch() {},
      async *read() {},
      async [Symbol.asyncDispose]() {
        log.push(`close ${name}`)
      },
    }),
  }
}

async function choose(...answers: ("answers" | "fails" | "hangs")[]) {
  const log: string[] = []
  const plugins = answers.map((answer, index) => pluginOf("abc".charAt(index), answer, log))
  const { name } = await chooseRuntime(plugins, options)
  return { name, log }
}

describe("chooseRuntime", () => {
  test("takes the first that answers, and closes the others", async () => {
    const { name, log } = await choose("fails", "answers", "answers")
    expect(name).toBe("b")
    expect(log.filter((word) => word.startsWith("close"))).toEqual(["close a", "close c"])
  })

  test("takes the first of all when none answers", async () => {
    expect((await choose("fails", "fails")).name).toBe("a")
  })

  test("does not wait for one that hangs for long", async () => {
    const before = performance.now()
    expect((await choose("hangs", "answers")).name).toBe("b")
    expect(performance.now() - before).toBeLessThan(10_000)
  })

  test("asks the only one nothing", async () => {
    expect(await choose("hangs")).toEqual({ name: "a", log: [] })
  })
})

describe("openRuntime", () => {
  test("knows a plugin by its name", async () => {
    await using runtime = await openRuntime("docker", options)
    expect(runtime.name).toBe("docker")
  })

  test("asks no files when it may choose: they would always answer", async () => {
    await using runtime = await openRuntime("auto", runtimeOptions({ filesRoot: "/" }))
    expect(runtime.name).not.toBe("files")
  })

  test("names the option that a plugin lacks", async () => {
    const error = await openRuntime("files", options).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UsageError)
    expect((error as UsageError).message).toStartWith("--files-root: ")
  })

  test("names the option when there is no such plugin", async () => {
    const error = await openRuntime("./missing.ts", options).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UsageError)
    expect((error as UsageError).message).toStartWith("--runtime: there is no file /")
  })
})
