/**
 * What goes with a release, written into the directory that is named: a bill of materials (CycloneDX), and the
 * notices of everything in the executable. Without dates and random numbers: a release can be built again.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundledPackages, type Package } from "./packages.ts"
import { type Part, runtimeParts } from "./runtime.ts"

const [directory = "dist", release = "unbuilt"] = Bun.argv.slice(2)
const packages = await bundledPackages("src/main.ts")
const parts = runtimeParts()
mkdirSync(directory, { recursive: true })
writeFileSync(join(directory, "applogs.cdx.json"), `${JSON.stringify(bill(), null, 2)}\n`)
writeFileSync(join(directory, "THIRD_PARTY_NOTICES.txt"), notices())

function bill(): object {
  const application = {
    type: "application",
    "bom-ref": "applogs",
    name: "applogs",
    version: release,
  }
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { ...application, licenses: [{ license: { id: "MIT" } }] } },
    components: [...packages.map(packageComponent), ...parts.map(partComponent)],
  }
}

function packageComponent({ name, version, license }: Package): object {
  const purl = `pkg:npm/${name.replace(/^@/, "%40")}@${version}`
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    licenses: [{ expression: license }],
  }
}

function partComponent({ name, version, license, source }: Part): object {
  return {
    type: name === "bun" ? "platform" : "library",
    "bom-ref": `bun/${name}`,
    name,
    version,
    licenses: [{ expression: license }],
    externalReferences: [{ type: "vcs", url: source }],
  }
}

function notices(): string {
  const [bun] = parts
  const libraries = parts.map(
    ({ name, version, license, source }) => `  ${name} ${version}\n    ${license}, ${source}\n`,
  )
  return [
    "The applogs executable contains the work of others, under these terms.",
    `The runtime is Bun ${bun?.version}. It contains, at the commits that are named:\n\n${libraries.join("")}`,
    "WebKit's JavaScriptCore and TinyCC are under the LGPL: you may replace them. Build Bun with yours, as its source says,\n" +
      "and then applogs with that Bun, from its own source: `make build`.",
    ...packages.map(notice),
  ].join(`\n\n${"-".repeat(80)}\n\n`)
}

function notice({ name, version, license, notices: texts }: Package): string {
  return [`${name} ${version} (${license})`, ...texts].join("\n\n")
}
