/** What both `tail` and `logs` ask of an app. */
import { LinkedAbort } from "../abort.ts"
import type { Given } from "../given.ts"
import { quote, UsageError } from "../usage.ts"
import { ask } from "./ask.ts"
import { ClientFailure } from "./ending.ts"
import type { Look } from "./print.ts"
import type { Where } from "./where.ts"

type Name = "service" | "stream" | "grep" | "since" | "needs" | "tail"

export type Query = Readonly<Record<string, string | undefined>>

/** By the API's names. What it takes is for the service to say. Throws a UsageError. */
export function readQuery(given: (name: Name) => Given | undefined): Query {
  return {
    service: given("service")?.text,
    stream: given("stream")?.text,
    grep: given("grep")?.text,
    since: given("since")?.text,
    tail: given("tail")?.text,
    includeNeeds: readNeeds(given("needs")),
  }
}

/** The one word that the command is about. Throws a UsageError. */
export function readApp(command: string, [app, second]: readonly string[]): string {
  // Of an address, a dot is no part.
  if (app && !/^\.\.?$/.test(app) && second === undefined) return app
  const wanted = `one app is wanted: applogs ${command} APP (applogs apps lists them)`
  throw new UsageError(command, wanted)
}

export function pathOf(app: string): string {
  return `api/apps/${encodeURIComponent(app)}`
}

/** The services whose lines may come, as far as they are known: only the width of a column hangs on it. */
export async function findServices(
  where: Where,
  app: string,
  query: Query,
  { output }: Look,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (output !== "text") return []
  if (query["service"] !== undefined) return [query["service"]]
  using connection = new LinkedAbort(signal)
  try {
    const response = await ask(where, { path: pathOf(app), type: "application/json", connection })
    const { services } = (await response.json()) as {
      services: readonly { name: string; needs: string | null }[]
    }
    const needs = query["includeNeeds"]
    const isWanted = (kind: string | null) =>
      kind === null || needs === "true" || needs?.split(",").includes(kind) === true
    return services.filter((service) => isWanted(service.needs)).map(({ name }) => name)
  } catch (error) {
    // The question itself will meet it, and say it.
    if (error instanceof ClientFailure) return []
    throw error
  }
}

/** The one value that is said otherwise than in the API, so that it is checked here. */
function readNeeds(needs: Given | undefined): string | undefined {
  if (needs === undefined) return undefined
  if (needs.text === "all") return "true"
  if (needs.text === "none") return "false"
  if (/^[\w.-]+(?:,[\w.-]+)*$/.test(needs.text)) return needs.text
  const wanted = "all, none, or kinds such as postgres,redis are wanted"
  throw new UsageError(needs.source, `${wanted}, not ${quote(needs.text)}`)
}
