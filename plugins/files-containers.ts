/** A log as a container, and how far it can be trusted. */
import { lstat } from "node:fs/promises"
import { Segment } from "../src/logfile/segment.ts"
import type { Container, DeclaredGuarantee } from "../src/runtime.ts"
import { type Instant, toInstant } from "../src/time.ts"
import { type Times, timesOf } from "./files-lines.ts"
import type { FoundLog } from "./files-list.ts"

/** `undefined`: it has gone meanwhile. */
export async function toContainer(log: FoundLog): Promise<Container | undefined> {
  const { id, app, service, isRunning, files } = log
  let createdAt: Instant | undefined
  let newest: string | undefined
  for (const path of files) {
    const file = await lstat(path, { bigint: true }).catch(() => undefined)
    if (!file) continue
    const bornAt = toInstant(file.birthtimeNs)
    if (createdAt === undefined || bornAt < createdAt) createdAt = bornAt
    if (file.size > 0n) newest ??= path
  }
  if (createdAt === undefined) return undefined
  return {
    id,
    name: `${app}-${service}`,
    labels: { "applogs.app": app, "applogs.service": service },
    state: isRunning ? "running" : "exited",
    createdAt,
    guarantee: await guaranteeOf(newest),
  }
}

async function guaranteeOf(path: string | undefined): Promise<DeclaredGuarantee> {
  // For this, nothing is unpacked.
  const isPlain = path !== undefined && !path.endsWith(".gz")
  try {
    await using file = isPlain ? await Segment.open(path) : undefined
    return GUARANTEES[(file && (await timesOf(file))) ?? "unknown"]
  } catch {
    return GUARANTEES.unreadable
  }
}

/** What a log can be trusted for, by whose the times of its lines are. */
export const GUARANTEES: Readonly<Record<Times | "unknown" | "unreadable", DeclaredGuarantee>> = {
  engine: {
    logs: "lines as engines write them (json-file, CRI)",
    level: "exact",
    source: "file",
    reason: "",
  },
  program: {
    logs: "lines that begin with a time (RFC 3339 with a zone)",
    level: "exact",
    source: "file",
    reason: "its times are its program's own: a line written late hides from since=",
  },
  nobody: {
    logs: "any other lines",
    level: "best-effort",
    source: "file",
    reason:
      "its lines do not say their times: they bear that of their file's creation, which since= cannot find and a copy of the file does not keep",
  },
  unknown: {
    logs: "no line yet",
    level: "best-effort",
    source: "file",
    reason: "it has no line yet to tell whether its lines say their times",
  },
  unreadable: {
    logs: "a file that cannot be read",
    level: "unreadable",
    source: "none",
    reason: "its file cannot be read: let the user of applogs read it",
  },
}
