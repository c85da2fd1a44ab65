/** What is said of a stream's events, other than its lines; `undefined`: nothing. */
import type { StreamEvent } from "./objects.ts"

const GAPS: Readonly<Record<string, string>> = {
  rotated: "the log was rotated away",
  ambiguous: "the place in the log cannot be told from its like",
  runtime_error: "the container runtime failed to read on",
  malformed_cursor: "the cursor is none of this service's",
  unreadable: "its log cannot be read",
}

export function describeEvent(event: StreamEvent): string | undefined {
  switch (event.event) {
    case "status": {
      const code = event.exitCode === undefined ? "" : ` (${event.exitCode})`
      return `${event.service ?? "the container runtime"}: ${event.state}${code}`
    }
    case "gap": {
      const when = [event.from && ` from ${event.from}`, event.to && ` to ${event.to}`].join("")
      const what = `lines may be missing or come twice here${when}`
      return `${event.service ?? "gap"}: ${what}: ${GAPS[event.reason] ?? event.reason}`
    }
    case "problem":
      return event.detail
    default:
      return undefined
  }
}
