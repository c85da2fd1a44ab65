/** Which form an answer takes: `format` in the query, else the Accept header (RFC 9110 §12.5.1). */
import { Failure } from "../errors.ts"
import { readOneOf } from "./words.ts"

/** Format by media type. The first one is the default. */
type Offers<Format extends string> = Readonly<Record<Format, string>>

/** Throws `invalid_parameter` for an unknown format, `not_acceptable` for an Accept without any of them. */
export function negotiate<Format extends string>(
  offers: Offers<Format>,
  format: string | undefined,
  accept: string | null,
): Format {
  const formats = Object.keys(offers) as Format[]
  if (format !== undefined) return readOneOf("format", format, formats)
  const ranges = (accept?.trim() || "*/*").toLowerCase().split(",").map(parseRange)
  let best: { format: Format; quality: number } | undefined
  for (const candidate of formats) {
    const quality = qualityOf(offers[candidate], ranges)
    if (quality > (best?.quality ?? 0)) best = { format: candidate, quality }
  }
  if (best) return best.format
  const allowed = formats.map((name) => offers[name])
  throw new Failure("not_acceptable", `accept one of: ${allowed.join(", ")}`, { allowed })
}

interface Range {
  readonly type: string
  readonly quality: number
}

function parseRange(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
  const quality = weight === undefined ? 1 : Number(weight)
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** The most specific range that matches decides. */
function qualityOf(mediaType: string, ranges: readonly Range[]): number {
  const group = `${mediaType.split("/", 1)[0]}/*`
  for (const wanted of [mediaType, group, "*/*"]) {
    const range = ranges.find(({ type }) => type === wanted)
    if (range) return range.quality
  }
  return 0
}
