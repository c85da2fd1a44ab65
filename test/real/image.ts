/** The image that test containers run: busybox alone, from the machine itself, so no registry is needed. */
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { staticBusybox } from "./machine.ts"

/** Builds the image's root file system in `directory` and returns it as a tar archive. */
export async function buildImage(directory: string): Promise<Blob> {
  const busybox = staticBusybox()
  if (busybox === undefined) throw new Error("no statically linked busybox on this machine")
  for (const name of ["bin", "tmp", "etc", "dev", "proc", "sys"]) {
    mkdirSync(join(directory, name), { recursive: true })
  }
  copyFileSync(busybox, join(directory, "bin/busybox"))
  const applets = Bun.spawnSync([busybox, "--list"]).stdout.toString().trim().split("\n")
  for (const applet of applets) {
    if (applet !== "busybox") symlinkSync("busybox", join(directory, "bin", applet))
  }
  const tar = Bun.spawn(["tar", "-C", directory, "-c", "."], { stdout: "pipe" })
  return await new Response(tar.stdout).blob()
}
