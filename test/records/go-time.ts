import { type Instant, shift } from "../../src/time.ts"

/** As Go's RFC3339Nano says it: no zeros at the fraction's end, and no fraction without a digit. */
export function toRfc3339Nano(instant: Instant, zone: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? []
  const offset = BigInt(Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000_000_000n
  const local = shift(instant, sign === "-" ? -offset : offset)
  return `${local.slice(0, -1).replace(/\.?0+$/, "")}${zone}`
}
