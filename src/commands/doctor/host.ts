/** This host, in the order in which `serve` would meet it. */
import type { Config } from "../../config.ts"
import type { Given } from "../../given.ts"
import { streamsThatFit } from "../open-files.ts"
import { runtimeOptions } from "../runtime-options.ts"
import type { Surroundings } from "../surroundings.ts"
import { examineClock } from "./clock.ts"
import { examineContainers } from "./containers.ts"
import { type Finding, ok, warn, within } from "./finding.ts"
import { examineKeys } from "./keys.ts"
import { examineAddresses, examineSocket } from "./places.ts"
import { examineRuntimes } from "./runtimes.ts"

/** What the runtime gets to let go of its connections. */
const CLOSE_MS = 1_000

type Options = Omit<Config, "keys">

export async function* examineHost(
  config: Options,
  keyFile: Given | undefined,
  around: Pick<Surroundings, "env" | "readFile">,
): AsyncGenerator<Finding, void> {
  const served = yield* examineRuntimes(config.runtime, runtimeOptions(config, around.env))
  if (served) {
    const { runtime } = served
    try {
      const containers = yield* examineContainers({ ...served, logSource: config.logSource })
      yield* examineClock(runtime, containers)
    } finally {
      // What it says of its end changes nothing.
      await within(CLOSE_MS, async () => runtime[Symbol.asyncDispose]()).catch(() => {})
    }
  }
  yield* examineKeys(keyFile, around)
  yield* examineAddresses(config)
  yield* examineSocket(config.localSocket)
  yield examineOpenFiles(config)
}

export function examineOpenFiles(
  { maxStreams }: Pick<Options, "maxStreams">,
  possible = streamsThatFit(),
): Finding {
  const what = "open files"
  if (possible >= maxStreams) return ok(what, `there is room for ${maxStreams} streams`)
  const found = `their limit leaves room for ${possible} streams, not for ${maxStreams}`
  return warn(what, found, "raise it (ulimit -n; in a unit LimitNOFILE=), or lower --max-streams")
}
