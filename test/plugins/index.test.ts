import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadPlugin, PLUGIN_NAMES } from "../../plugins/index.ts"
import { RUNTIME_API } from "../../src/runtime.ts"
import { runtimeOptions } from "../runtime-options.ts"

const scratch = mkdtempSync(join(tmpdir(), "applogs-plugins-"))
afterAll(() => rmSync(scratch, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(scratch, name)
  writeFileSync(path, text)
  return path
}

async function mistake(name: string): Promise<string> {
  const result = await loadPlugin(name).then(
    () => "it was loaded",
    (error: unknown) => (error instanceof Error ? error.message : "no error"),
  )
  return result.replaceAll(scratch, "")
}

describe("built-in plugins", () => {
  test.each(PLUGIN_NAMES)("%s has its own name and the contract's version", async (name) => {
    const plugin = await loadPlugin(name)
    expect(plugin.name).toBe(name)
    expect(plugin.api).toBe(RUNTIME_API)
  })

  test("are loaded without being used", async () => {
    const runtime = (await loadPlugin("docker")).create(runtimeOptions())
    expect(runtime.name).toBe("docker")
    await runtime[Symbol.asyncDispose]()
  })

  test.each(["dokcer", "", "constructor", "__proto__", "mine.ts"])(
    "have none called %j",
    async (name) => {
      const allowed =
        "one of docker, podman, nerdctl, files, the path of a plugin file (./mine.ts) is wanted"
      expect(await mistake(name)).toBe(`there is no runtime ${JSON.stringify(name)}: ${allowed}`)
    },
  )
})

describe("a plugin file", () => {
  test("is loaded from where it is", async () => {
    const text = `export const plugin = { name: "mine", api: ${RUNTIME_API}, create() {} }`
    expect((await loadPlugin(file("good.ts", text))).name).toBe("mine")
  })

  test("may say its guarantees wrongly, or not at all: what is right of them is kept", async () => {
    const said = [
      ["none", "undefined"],
      ["odd", "7"],
      [
        "some",
        '[null, { level: "exact" }, { logs: "all", level: "exact", source: "api", reason: "" }]',
      ],
    ] as const
    const kept = said.map(async ([name, guarantees]) => {
      const plugin = `{ name: "mine", api: ${RUNTIME_API}, create() {}, guarantees: ${guarantees} }`
      const path = file(`guarantees-${name}.ts`, `export const plugin = ${plugin}`)
      return (await loadPlugin(path)).guarantees.length
    })
    expect(await Promise.all(kept)).toEqual([0, 0, 1])
  })

  test("that does not exist is said to be missing", async () => {
    expect(await mistake(join(scratch, "missing.ts"))).toBe("there is no file /missing.ts")
  })

  test("that throws is said to, with what it threw", async () => {
    const path = file("throws.ts", `throw new Error("broken inside")`)
    expect(await mistake(path)).toBe("/throws.ts cannot be loaded: broken inside")
  })

  test("that cannot be parsed is said to", async () => {
    expect(await mistake(file("syntax.ts", "export const ="))).toStartWith(
      "/syntax.ts cannot be loaded: ",
    )
  })

  test.each(["export default {}", "export const plugin = 7", "export const plugin = null"])(
    "that only says %j exports no plugin",
    async (text) => {
      expect(await mistake(file(`${Bun.hash(text)}.ts`, text))).toEndWith(`.ts exports no "plugin"`)
    },
  )

  test("for another version of the contract is refused, with both versions", async () => {
    const old = file("old.ts", `export const plugin = { name: "old", api: 0, create() {} }`)
    expect(await mistake(old)).toBe(
      `/old.ts was written for another contract: it says version 0, and this is version ${RUNTIME_API}`,
    )
    expect(await mistake(file("none.ts", "export const plugin = {}"))).toContain(
      "version undefined",
    )
  })

  test("whose plugin lacks a name or create() is refused", async () => {
    const half = file("half.ts", `export const plugin = { name: "half", api: ${RUNTIME_API} }`)
    expect(await mistake(half)).toBe('/half.ts exports a "plugin" without a name or create()')
  })
})
