/** What of an app a query asks for: which of its containers, and which of their lines. */
import type { App, Member } from "../apps/app.ts"
import type { Line } from "../runtime.ts"
import type { LogQuery } from "./query.ts"

/** A service that is asked for by name is in, needs or not. */
export function isSelected(query: LogQuery, member: Member): boolean {
  if (query.service !== undefined) return member.service === query.service
  if (member.needs === undefined || query.includeNeeds === true) return true
  return query.includeNeeds !== false && query.includeNeeds.has(member.needs)
}

/** The same for queries that select the same containers. */
export function selectionOf({ service, includeNeeds }: LogQuery): string {
  const kinds = typeof includeNeeds === "boolean" ? includeNeeds : [...includeNeeds].toSorted()
  return JSON.stringify([service, kinds])
}

export function selectMembers(app: App, query: LogQuery): readonly Member[] {
  return app.members.filter((member) => isSelected(query, member))
}

/** Whether every line of what is selected passes. */
export function passesAll({ stream, grep }: LogQuery): boolean {
  return stream === undefined && grep === undefined
}

/** Whether a line passes. Times are not looked at: where to begin and to end is the reader's business. */
export function lineFilter(query: LogQuery): (line: Line) => boolean {
  if (passesAll(query)) return () => true
  const { stream, grep } = query
  return (line) =>
    (stream === undefined || line.stream === stream) &&
    (grep === undefined || line.message.includes(grep))
}
