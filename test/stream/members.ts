/** Members, lines and entries made by hand. */
import type { Member } from "../../src/apps/app.ts"
import type { Line } from "../../src/runtime.ts"
import type { Entry } from "../../src/stream/entry.ts"
import { toInstant } from "../../src/time.ts"

export function memberOf(number: number, service = "web", needs?: string): Member {
  return {
    app: "shop",
    service,
    ...(needs !== undefined && { needs }),
    container: {
      id: number.toString(16).padStart(12, "0").padEnd(64, "e"),
      name: `shop-${service}-${number}`,
      labels: {},
      state: "running",
      createdAt: toInstant(0n),
      guarantee: { level: "exact", source: "api", reason: "" },
    },
  }
}

export function lineOf(message: string, second = 1, stream: Line["stream"] = "stdout"): Line {
  const timestamp = toInstant(BigInt(second) * 1_000_000_000n)
  return { stream, timestamp, message, position: `p${message}` }
}

export function entryOf(member: Member, message: string, second = 1): Entry {
  const line = lineOf(message, second)
  return { member, line, position: line.position }
}
