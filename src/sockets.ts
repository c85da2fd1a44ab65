/** Paths of sockets that nobody has named. */
import type { Environment } from "./given.ts"

/** Where `serve` listens for programs on this host, and where they look for it. To be tried in this order. */
export function localSocketPaths(env: Environment): readonly string[] {
  return ["/run/applogs/applogs.sock", ...inRuntimeDir(env, "applogs/applogs.sock")]
}

/** A relative `XDG_RUNTIME_DIR` is to be ignored, its specification says. */
export function inRuntimeDir(env: Environment, path: string): string[] {
  const directory = env["XDG_RUNTIME_DIR"]
  return directory?.startsWith("/") ? [`${directory}/${path}`] : []
}
