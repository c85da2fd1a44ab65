/** `applogs logs`: what there is, up to now. */
import { LinkedAbort } from "../abort.ts"
import { collect, type Environment, type ReadFile } from "../given.ts"
import { ask } from "./ask.ts"
import { ClientFailure, handOver, type Outlet, say } from "./ending.ts"
import { NDJSON_TYPE, readChunks, readObjects } from "./objects.ts"
import { LOGS_OPTIONS } from "./options.ts"
import { createPrinter, type Look, readLook } from "./print.ts"
import { findServices, pathOf, type Query, readApp, readQuery } from "./question.ts"
import { findWhere, type Where } from "./where.ts"

export interface Logs {
  readonly app: string
  readonly query: Query
  readonly where: Where
  readonly look: Look
}

/** Finding the lines of a big log may take a while. */
const PATIENCE_MS = 600_000

/** Throws a UsageError. */
export function readLogs(
  argv: readonly string[],
  env: Environment,
  readFile: ReadFile,
  isTerminal: boolean,
): Logs {
  const { given, words } = collect({ command: "logs", options: LOGS_OPTIONS }, argv, env, readFile)
  return {
    app: readApp("logs", words),
    query: { ...readQuery(given), until: given("until")?.text },
    where: findWhere(given, env, readFile),
    look: readLook(given, env, isTerminal),
  }
}

export async function logs({ app, query, where, look }: Logs, outlet: Outlet): Promise<void> {
  using connection = new LinkedAbort(outlet.signal)
  const shown = { ...query, includeNeeds: query["includeNeeds"] ?? "true" }
  const services = await findServices(where, app, shown, look, outlet.signal)
  const print = createPrinter(look, services)
  const path = `${pathOf(app)}/logs`
  const response = await ask(where, {
    path,
    query,
    type: NDJSON_TYPE,
    connection,
    withinMs: PATIENCE_MS,
  })
  let count = 0
  try {
    for await (const batch of readObjects(readChunks(response, connection, PATIENCE_MS))) {
      const lines = batch.filter((told) => told.event === undefined)
      count += lines.length
      await handOver(outlet, lines.map(print).join(""))
    }
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    throw new ClientFailure(1, `the answer broke off, there is more: ${error.message}`)
  }
  // Who has not said how many would take them for all.
  if (query["tail"] === undefined && response.headers.get("Applogs-Truncated") === "true") {
    say(outlet, `there is more: these are the last ${count} lines (--tail all prints every one)`)
  }
}
