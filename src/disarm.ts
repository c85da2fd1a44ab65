/**
 * What a container writes, made harmless. It writes what it likes, and a terminal obeys it: titles, cleared
 * screens, clipboards, rows that look like another service's. So every control character but tab comes out
 * as its number, `\x1b`, which hides nothing and does nothing; colours (SGR sequences) are kept, or dropped
 * by `strip`. `raw` is for those who pipe the bytes elsewhere.
 */

export const ANSI = ["keep", "strip", "raw"] as const

export type Ansi = (typeof ANSI)[number]

/** C0, DEL and C1, without tab. Most lines have none of them, and this one test is all they cost. */
const CONTROL = /[\p{Cc}--\t]/v

const ESCAPE = "\x1b"
const COLOUR = `${ESCAPE}\\[[0-9;:]{0,64}m`

/** A colour, which is kept whole, or else one control character. */
const COLOUR_OR_CONTROL = new RegExp(`(${COLOUR})|${CONTROL.source}`, "gv")

/** A line's message. */
export function disarmMessage(message: string, ansi: Ansi): string {
  if (ansi === "raw" || !CONTROL.test(message)) return message
  // Of a line that ended in CR LF, the LF alone was its end.
  return disarm(message.endsWith("\r") ? message.slice(0, -1) : message, ansi)
}

/** A name, or other words within a row. In one pass: what a dropped colour stood between must not become one. */
export function disarm(text: string, ansi: Ansi = "strip"): string {
  if (!CONTROL.test(text)) return text
  return text.replace(COLOUR_OR_CONTROL, (found, colour: string | undefined) => {
    if (colour !== undefined) return ansi === "strip" ? "" : colour
    return `\\x${found.charCodeAt(0).toString(16).padStart(2, "0")}`
  })
}

/** JSON that means the same: of control characters, it leaves these alone as they are. */
export function disarmJson(json: string): string {
  return json.replace(/[\u007F-\u009F]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}
