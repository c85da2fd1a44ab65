/** Where each runtime is to be found on this host. */
import type { Environment, Given } from "./given.ts"
import type { OptionName } from "./options.ts"
import { inRuntimeDir } from "./sockets.ts"
import { quote, UsageError } from "./usage.ts"

/** Sockets are to be tried in their order. */
export interface Engines {
  readonly dockerSockets: readonly [string, ...string[]]
  readonly podmanSockets: readonly [string, ...string[]]
  /** A path, or a name on the PATH. */
  readonly nerdctl: string
  /** `undefined`: nerdctl's own default, as for the namespace. */
  readonly containerdAddress: string | undefined
  readonly containerdNamespace: string | undefined
  readonly filesRoot: string | undefined
}

/** Throws a UsageError. */
export function findEngines(
  given: (name: OptionName) => Given | undefined,
  env: Environment,
  runtime: string,
): Engines {
  const sockets = { runtime, env, given }
  return {
    dockerSockets: findSockets("docker", "DOCKER_HOST", sockets) ?? [
      "/var/run/docker.sock",
      ...inRuntimeDir(env, "docker.sock"),
    ],
    podmanSockets: findSockets("podman", "CONTAINER_HOST", sockets) ?? [
      "/run/podman/podman.sock",
      ...inRuntimeDir(env, "podman/podman.sock"),
    ],
    nerdctl: given("nerdctl")?.text ?? "nerdctl",
    containerdAddress: given("containerdAddress")?.text.replace(/^unix:\/\//, ""),
    containerdNamespace: given("containerdNamespace")?.text,
    filesRoot: given("filesRoot")?.text,
  }
}

/** A host in the environment that cannot be used is an error only where it would have been used. */
function findSockets(
  name: "docker" | "podman",
  variable: string,
  around: {
    readonly runtime: string
    readonly env: Environment
    readonly given: (name: OptionName) => Given | undefined
  },
): readonly [string] | undefined {
  const { runtime, env, given } = around
  const asked = given(`${name}Socket`)
  if (asked) return [asked.text.replace(/^unix:\/\//, "")]
  const host = env[variable]
  const [, path] = /^unix:\/\/(.+)$/.exec(host ?? "") ?? []
  if (path !== undefined) return [path]
  if (host && (runtime === "auto" || runtime === name)) {
    const wanted = "unix://<path> is wanted (only an engine on this host can be read)"
    const instead = `--${name}-socket wins over it`
    throw new UsageError(variable, `${wanted}, not ${quote(host)}; ${instead}`)
  }
  return undefined
}
