/** What the fake engine and a real one are both made to print, and are asked. */
import type { Output } from "../conformance/host.ts"

/** Everything that a container can print: short, long, broken and unended lines on both streams. */
export const OUTPUT: readonly Output[] = [
  { stream: "stdout", text: "one\n\ntwo\n" },
  { stream: "stderr", text: "err\n", delayMs: 30 },
  ...[16_383, 16_384, 16_385, 40_000].map((length): Output => {
    return { stream: "stdout", text: `${"x".repeat(length)}\nbehind ${length}\n`, delayMs: 30 }
  }),
  { stream: "stdout", text: "x".repeat(20_000), delayMs: 30 },
  { stream: "stderr", text: "between\n", delayMs: 30 },
  { stream: "stdout", text: `${"y".repeat(100)}\n`, delayMs: 30 },
  { stream: "stdout", text: `${"x".repeat(16_383)}é\n`, delayMs: 30 },
  { stream: "stdout", text: Uint8Array.of(0x61, 0xff, 0xe2, 0x82, 0xed, 0xa0, 0x80, 0x62, 0x0a) },
  { stream: "stdout", text: "<&>\u2028 \u0001\u001b[1m \ufeff🙂\n" },
  { stream: "stderr", text: "unended", delayMs: 30 },
]

/** Parameters for a log with records of these stamps. */
export function* queries(stamps: readonly bigint[]): Generator<string> {
  const seconds = (ns: bigint) =>
    `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, "0")}`
  const times = [...new Set(stamps)].flatMap((ns) => [ns - 1n, ns, ns + 1n]).map(seconds)
  const middle = times[Math.floor(times.length / 2)] ?? ""
  for (const streams of ["stdout=1&stderr=1", "stdout=true", "stderr=1&stdout=0"]) {
    for (const tail of [0, 1, 2, 3, 5, 8, 1_000, "all", "", "-1", "x", "+2"]) {
      yield `${streams}&timestamps=1&tail=${tail}`
      yield `${streams}&tail=${tail}&since=${middle}&follow=1`
      yield `${streams}&timestamps=1&tail=${tail}&until=${middle}`
    }
  }
  for (const time of [...times, "0", "1", "99999999999"]) {
    yield `stdout=1&stderr=1&timestamps=1&since=${time}`
    yield `stdout=1&stderr=1&timestamps=1&until=${time}`
    yield `stdout=1&stderr=1&timestamps=1&since=${middle}&until=${time}&tail=9`
  }
}

/** Where the first says something that the second does not, or of another kind. */
export function unlike(actual: unknown, expected: unknown, path = ""): readonly string[] {
  // An empty collection may be null.
  if (expected === null) return typeof actual === "object" ? [] : [path]
  if (Array.isArray(actual)) return Array.isArray(expected) ? [] : [path]
  if (typeof actual !== "object" || actual === null) {
    return typeof actual === typeof expected ? [] : [path]
  }
  if (typeof expected !== "object") return [path]
  return Object.entries(actual).flatMap(([key, value]) =>
    unlike(value, (expected as Record<string, unknown>)[key], `${path}/${key}`),
  )
}
