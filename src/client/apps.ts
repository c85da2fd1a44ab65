/** `applogs apps`: what there is to read, and how far it can be trusted. */
import { LinkedAbort } from "../abort.ts"
import { disarm, disarmJson } from "../disarm.ts"
import { choose, collect, type Environment, noSuchOption, type ReadFile } from "../given.ts"
import { ask } from "./ask.ts"
import { handOver, type Outlet } from "./ending.ts"
import { APPS_OPTIONS } from "./options.ts"
import { findWhere, type Where } from "./where.ts"

interface App {
  readonly id: string
  readonly services: readonly {
    readonly name: string
    readonly needs: string | null
    readonly containers: readonly {
      readonly name: string
      readonly state: string
      readonly guarantee: { readonly level: string; readonly reason: string }
    }[]
  }[]
}

export interface Apps {
  readonly where: Where
  readonly output: "text" | "json"
}

/** Throws a UsageError. */
export function readApps(argv: readonly string[], env: Environment, readFile: ReadFile): Apps {
  const asking = { command: "apps", options: APPS_OPTIONS }
  const { given, words } = collect(asking, argv, env, readFile)
  if (words[0] !== undefined) throw noSuchOption(asking.command, words[0])
  return {
    where: findWhere(given, env, readFile),
    output: choose(APPS_OPTIONS.output, given("output")),
  }
}

export async function apps({ where, output }: Apps, outlet: Outlet): Promise<void> {
  using connection = new LinkedAbort(outlet.signal)
  const response = await ask(where, { path: "api/apps", type: "application/json", connection })
  const answer = (await response.json()) as { apps: readonly App[] }
  await handOver(
    outlet,
    output === "json"
      ? `${disarmJson(JSON.stringify(answer))}\n`
      : layOut(answer.apps.flatMap(rowsOf)),
  )
}

const HEAD = ["APP", "SERVICE", "CONTAINER", "STATE", "GUARANTEE"]

/** Each row says all of it, so that it can be searched; the last column may be long. */
function rowsOf({ id, services }: App): string[][] {
  return services.flatMap(({ name, containers }) =>
    containers.map((container) => {
      const { level, reason } = container.guarantee
      const guarantee = reason === "" ? level : `${level}: ${reason}`
      return [id, name, container.name, container.state, guarantee].map((cell) => disarm(cell))
    }),
  )
}

function layOut(rows: readonly (readonly string[])[]): string {
  const all = [HEAD, ...rows]
  const widths = HEAD.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
  return all.map((row) => `${line(row).trimEnd()}\n`).join("")
}
