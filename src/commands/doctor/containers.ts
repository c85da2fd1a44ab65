/** The containers that the runtime lists: in how many apps, and how far their logs can be trusted. */
import { readFileSync } from "node:fs"
import { identify } from "../../apps/identify.ts"
import { describe } from "../../logfmt.ts"
import type { Container, LogSource, RuntimePlugin } from "../../runtime.ts"
import { count, fail, type Finding, ok, someOf, warn, within } from "./finding.ts"
import type { Served } from "./runtimes.ts"

/** Each container may have to be inspected. */
const LIST_MS = 15_000

const SOURCES = {
  file: "from their files",
  api: "by the API or CLI",
  none: "from nowhere",
} as const

/** Returns those that are served. */
export async function* examineContainers({
  runtime,
  plugin,
  logSource,
}: Served & { readonly logSource: LogSource }): AsyncGenerator<Finding, readonly Container[]> {
  let listed: readonly Container[]
  try {
    listed = await within(LIST_MS, (signal) => runtime.list(signal))
  } catch (error) {
    yield fail("containers", describe(error))
    return []
  }
  const members = listed.flatMap((container) => identify(container) ?? [])
  const containers = members.map(({ container }) => container)
  const apps = new Set(members.map(({ app }) => app)).size
  const hidden = listed.length - members.length
  const besides = hidden > 0 ? `, and ${hidden} with the label applogs.ignore` : ""
  yield ok("containers", `${containers.length} in ${count(apps, "app")}${besides}`)
  const groups = Map.groupBy(containers, keyOf).values()
  for (const group of groups) if (isSome(group)) yield judge(group, plugin)
  if (containers.length > 0) yield examineFiles(containers, plugin, logSource)
  return containers
}

type Some<Value> = readonly [Value, ...Value[]]

function isSome<Value>(values: readonly Value[]): values is Some<Value> {
  return values.length > 0
}

function keyOf({ guarantee: { level, source, reason } }: Container): string {
  return `${level} ${source} ${reason}`
}

/** Containers of one and the same guarantee. */
function judge(group: Some<Container>, { guarantees }: RuntimePlugin): Finding {
  const { level, source, reason } = group[0].guarantee
  const declared = guarantees.find(
    (each) => each.level === level && each.source === source && each.reason === reason,
  )
  const logs = declared ? ` (${plain(declared.logs)})` : ""
  const found = `${count(group.length, "container")} ${level}, read ${SOURCES[source]}${logs}`
  const why = [found, reason].filter((part) => part !== "").join(": ")
  // Nothing can be known, and nothing is to be lost, before the first start.
  if (level === "exact" || group.every(({ state }) => state === "created")) return ok("logs", why)
  const names = someOf(group.map(({ name }) => name))
  const better = guarantees.filter((each) => each.level === "exact").map(({ logs: text }) => text)
  const remedy = better.length > 0 ? `what is exact: ${plain(better.join("; "))}` : ""
  return warn("logs", `${why}: ${names}`, remedy)
}

function plain(markdown: string): string {
  return markdown.replaceAll("`", "")
}

/** Whether log files are read at all, and which right is missing if they are not. */
export function examineFiles(
  containers: readonly Container[],
  { guarantees }: Pick<RuntimePlugin, "guarantees">,
  logSource: LogSource,
  isAllowed = mayReadAll(),
): Finding {
  const what = "log files"
  const all = count(containers.length, "container")
  if (logSource === "api") return ok(what, "they are left alone (--log-source api)")
  const byFile = containers.filter(({ guarantee }) => guarantee.source === "file").length
  if (byFile > 0) return ok(what, `those of ${byFile} of ${all} are read`)
  const none = `none of ${all} has one that can be read`
  const could = guarantees.some(({ source }) => source === "file")
  if (isAllowed || !could) return ok(what, none)
  const instead = logSource === "auto" ? ", so that the runtime has to read them" : ""
  const right =
    "run as root, or with the capability CAP_DAC_READ_SEARCH, as the unit of applogs unit"
  return warn(what, `${none} by this user${instead}`, right)
}

/** CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: with either, every file can be read. */
const READ_ALL = 0b110n

export function mayReadAll(status = "/proc/self/status"): boolean {
  try {
    const [, held = "0"] = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync(status, "utf8")) ?? []
    return (BigInt(`0x${held}`) & READ_ALL) !== 0n
  } catch {
    return false
  }
}
