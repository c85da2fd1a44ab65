/** What the figures were taken on. A figure without it says nothing. */
import { readFileSync } from "node:fs"
import { arch, availableParallelism, cpus, loadavg, release, totalmem } from "node:os"
import type { PrivateDocker } from "../real/docker.ts"
import { BINARY, MEMORY } from "./service.ts"

export async function describeMachine(docker: PrivateDocker): Promise<string> {
  const gigabytes = (totalmem() / 1_000_000_000).toFixed(1)
  return [
    `machine   ${cpus()[0]?.model ?? "?"} (${arch()}), ${availableParallelism()} cores, ${gigabytes} GB of memory`,
    `system    ${systemName()}, kernel ${release()}, load ${loadavg()[0]?.toFixed(2)} at the start`,
    `engine    dockerd ${await docker.version()}, json-file; ${say(["docker", "--version"])}`,
    `client    ${say(["curl", "--version"]).split(" ", 2).join(" ")}`,
    `applogs   ${say([BINARY, "version"])}, the executable, with ${MEMORY}; Bun ${Bun.version}`,
  ].join("\n")
}

function say(command: readonly string[]): string {
  const said = Bun.spawnSync([...command]).stdout.toString()
  return said.split("\n", 1)[0] ?? ""
}

function systemName(): string {
  const facts = readFileSync("/etc/os-release", "utf8")
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(facts)?.[1] ?? "Linux"
}
