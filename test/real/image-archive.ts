/** The test image as an archive that containerd imports. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { buildImage } from "./image.ts"
import { output } from "./output.ts"

/** The test image, by that name, as `docker save` would write it: the path of its archive. */
export async function buildArchive(directory: string, image: string): Promise<string> {
  const layer = await (await buildImage(join(directory, "root"))).bytes()
  const digest = new Bun.CryptoHasher("sha256").update(layer).digest("hex")
  const architecture = process.arch === "x64" ? "amd64" : process.arch
  const rootfs = { type: "layers", diff_ids: [`sha256:${digest}`] }
  const parts = {
    "layer.tar": layer,
    "config.json": JSON.stringify({ architecture, os: "linux", config: {}, rootfs }),
    "manifest.json": JSON.stringify([
      { Config: "config.json", RepoTags: [image], Layers: ["layer.tar"] },
    ]),
  }
  for (const [name, content] of Object.entries(parts)) writeFileSync(join(directory, name), content)
  await output(["tar", "-C", directory, "-cf", `${directory}.tar`, ...Object.keys(parts)])
  return `${directory}.tar`
}
