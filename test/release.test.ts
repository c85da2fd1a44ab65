/** What goes out of the house: the same executable from the same source, and what is in it, said in full. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { dependencies, devDependencies } from "../package.json"

const ROOT = join(import.meta.dir, "..")

describe("a release", () => {
  const directory = mkdtempSync(join(tmpdir(), "applogs-release-"))
  afterAll(() => rmSync(directory, { recursive: true }))
  const fileIn = (name: string) => readFileSync(join(directory, name))

  test("is the same, byte for byte, when it is built again", async () => {
    for (const build of ["first", "second"]) {
      await run("make", "-s", "build", `BINARY=${directory}/${build}/applogs`)
    }
    // Compared by their hashes: a difference would be a hundred megabytes to print.
    expect(hash(fileIn("second/applogs"))).toBe(hash(fileIn("first/applogs")))
  })

  test("comes with a bill of its packages and of what the runtime brings, and with the notices of all", async () => {
    const materials = [process.execPath, ".release/materials.ts"]
    await run(...materials, join(directory, "a"), "1.2.3")
    await run(...materials, join(directory, "b"), "1.2.3")
    for (const file of ["applogs.cdx.json", "THIRD_PARTY_NOTICES.txt"]) {
      expect(fileIn(`b/${file}`)).toEqual(fileIn(`a/${file}`))
    }
    const bill = JSON.parse(fileIn("a/applogs.cdx.json").toString()) as {
      metadata: { component: { version: string } }
      components: { name: string; version: string; licenses: { expression: string }[] }[]
    }
    expect(bill.metadata.component.version).toBe("1.2.3")
    const versions = new Map(bill.components.map(({ name, version }) => [name, version]))
    for (const [name, version] of Object.entries(dependencies)) {
      expect([name, versions.get(name)]).toEqual([name, version])
    }
    const { bun, ...tools } = devDependencies
    for (const name of Object.keys(tools)) expect(versions.has(name)).toBe(false)
    expect(versions.get("bun")).toBe(bun)
    expect(versions.has("webkit")).toBe(true)
    const notices = fileIn("a/THIRD_PARTY_NOTICES.txt").toString()
    for (const { name, version, licenses } of bill.components) {
      expect(licenses[0]?.expression).toMatch(/^[A-Z][\w.-]+|blessing/i)
      expect(notices).toContain(`${name} ${version}`)
    }
  })
})

async function run(...command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { cwd: ROOT, stdout: "ignore", stderr: "pipe" })
  const [error, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.join(" ")}: ${error}`)
}

function hash(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
}
