/** Lines as text for people, one a row: `2026-08-20T12:34:56.123456789Z web | message`. */
import { type Ansi, disarm, disarmMessage } from "../disarm.ts"
import type { MemberLine } from "../stream/service.ts"

/** Makes rows, with their line ends. `services` are all that may come, for the width of their column. */
export function createTextRow(
  services: Iterable<string>,
  ansi: Ansi,
): (line: MemberLine) => string {
  const names = [...new Set(services)].map((service) => [service, disarm(service)] as const)
  const width = Math.max(0, ...names.map(([, name]) => name.length))
  const columns = new Map(names.map(([service, name]) => [service, name.padEnd(width)]))
  return ({ member, line }) => {
    const column = columns.get(member.service) ?? disarm(member.service).padEnd(width)
    return `${line.timestamp} ${column} | ${disarmMessage(line.message, ansi)}\n`
  }
}
