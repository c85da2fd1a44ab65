/** Which packages are in the executable: those that its bundle takes a file of. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Package {
  readonly name: string
  readonly version: string
  /** As SPDX says it. */
  readonly license: string
  /** The texts that have to go with it. */
  readonly notices: readonly string[]
}

/** In the order of their names. Throws an Error for one that does not say its license. */
export async function bundledPackages(entry: string): Promise<Package[]> {
  const bundle = await Bun.build({ entrypoints: [entry], target: "bun", metafile: true })
  const directories = new Set<string>()
  for (const path of Object.keys(bundle.metafile?.inputs ?? {})) {
    const [, directory] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
    if (directory !== undefined) directories.add(directory)
  }
  if (directories.size === 0) throw new Error(`${entry} bundles no package`)
  const packages = [...directories].map(readPackage)
  return packages.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function readPackage(directory: string): Package {
  const said = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    name: string
    version: string
    license?: string
  }
  const { name, version, license } = said
  if (typeof license !== "string") throw new Error(`${name} ${version} does not say its license`)
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  const notices = files.toSorted().map((file) => readFileSync(join(directory, file), "utf8").trim())
  return { name, version, license, notices }
}
