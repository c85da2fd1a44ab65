/**
 * Server-Sent Events. The data is always one line of JSON, whatever a container wrote: its line ends are
 * escaped in there, so that no log can forge an event.
 */
import type { StreamEvent } from "../stream/events.ts"
import { toData } from "./line.ts"

export const SSE_TYPE = "text/event-stream"

/** Said at once: it takes the headers through proxies, and sets a browser's time to reconnect. */
export const SSE_HELLO = ": connected\nretry: 2000\n\n"

/** How long clients wait whose stream was ended: not all of them for equally long, or they would all come at once. */
const COME_BACK_MS = { least: 1_000, most: 5_000 }

/** Each of these would end a field. */
const BREAK = /[\r\n\0]/

/** Throws if the cursor could break out of its line. An event without one leaves the client's as it is. */
export function encodeSse(event: StreamEvent, verbose: boolean): string {
  if (BREAK.test(event.cursor)) throw new Error("a cursor with a line end cannot be an SSE id")
  const id = event.cursor === "" ? "" : `id: ${event.cursor}\n`
  const told = `${id}event: ${event.type}\ndata: ${JSON.stringify(toData(event, verbose))}\n`
  return event.type === "end" && event.retryable ? `${told}retry: ${comeBackMs()}\n\n` : `${told}\n`
}

function comeBackMs(): number {
  const { least, most } = COME_BACK_MS
  return least + Math.floor(Math.random() * (most - least))
}
