import { describe, expect, test } from "bun:test"
import type { Member } from "../../src/apps/app.ts"
import { Chunks, type Form } from "../../src/stream/chunk.ts"
import type { StreamEvent } from "../../src/stream/events.ts"
import { LineStep } from "../../src/stream/item.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import { Ring } from "../../src/stream/ring.ts"
import { lineOf, memberOf } from "./members.ts"

const web = memberOf(1)
const redis = memberOf(2, "needs-redis", "redis")
const ALL: LogQuery = { includeNeeds: true }

/** Says an event by what it is about, and counts how often it is asked. */
function createForm(name = "plain"): { form: Form; counts: { encoded: number } } {
  const counts = { encoded: 0 }
  const encode = (event: StreamEvent) => {
    counts.encoded++
    return event.type === "log" ? `${event.line.message};` : `${event.type};`
  }
  const encodeBlock = () => Buffer.alloc(0)
  return { form: { name, encode, encodeBlock }, counts }
}

function fill(...said: readonly (readonly [Member, string])[]): { ring: Ring; chunks: Chunks } {
  const ring = new Ring(1_000_000)
  for (const [index, [member, message]] of said.entries()) {
    ring.push(new LineStep(member, lineOf(message), `c${index}`))
  }
  return { ring, chunks: new Chunks(ring) }
}

const textOf = ({ bytes }: { readonly bytes: Uint8Array }) => new TextDecoder().decode(bytes)

describe("a chunk", () => {
  test("is encoded once for all who see the same from the same place", () => {
    const { ring, chunks } = fill([web, "a"], [redis, "b"])
    const { form, counts } = createForm()
    const first = chunks.from(0, chunks.view(ALL, form))
    expect(textOf(first)).toBe("a;b;")
    expect(first).toMatchObject({ lines: 2, to: 2, cursor: "c1" })
    for (let client = 0; client < 100; client++) {
      expect(chunks.from(0, chunks.view({ includeNeeds: true }, form))).toBe(first)
    }
    // A client that was there before thirty others with filters of their own.
    const view = chunks.view(ALL, form)
    for (let other = 0; other < 40; other++) {
      chunks.view({ includeNeeds: true, grep: `${other}` }, form)
    }
    expect(chunks.from(0, view)).toBe(first)
    expect(counts.encoded).toBe(2)
    // What has come since is another chunk.
    ring.push({
      kind: "notice",
      event: { type: "status", state: "up", at: lineOf("").timestamp, cursor: "c2" },
      cursor: "c2",
    })
    expect(chunks.from(0, view)).toBe(first)
    expect(textOf(chunks.from(2, chunks.view(ALL, form)))).toBe("status;")
  })

  test("has what its view selects, and says how far it goes where that is nothing", () => {
    const { chunks } = fill([web, "a"], [redis, "b"], [web, "bc"])
    const { form } = createForm()
    const view = (query: LogQuery) => textOf(chunks.from(0, chunks.view(query, form)))
    expect(view({ includeNeeds: false })).toBe("a;bc;")
    expect(view({ includeNeeds: new Set(["redis"]) })).toBe("a;b;bc;")
    expect(view({ includeNeeds: false, service: "needs-redis" })).toBe("b;")
    expect(view({ includeNeeds: true, grep: "b" })).toBe("b;bc;")
    const nothing = chunks.from(0, chunks.view({ includeNeeds: true, stream: "stderr" }, form))
    expect(nothing).toMatchObject({ lines: 0, to: 3, cursor: "c2" })
    expect(nothing.bytes).toHaveLength(0)
  })

  test("of a client that is told in another form is another", () => {
    const { chunks } = fill([web, "a"])
    const [plain, loud] = [createForm(), createForm("loud")]
    const first = chunks.from(0, chunks.view(ALL, plain.form))
    expect(chunks.from(0, chunks.view(ALL, loud.form))).not.toBe(first)
  })

  test("is full after so many characters, and the next goes on behind it", () => {
    const { chunks } = fill(...Array.from({ length: 5 }, () => [web, "x".repeat(60_000)] as const))
    const view = chunks.view(ALL, createForm().form)
    const chunk = chunks.from(0, view)
    expect(chunk).toMatchObject({ lines: 3, to: 3 })
    expect(chunks.from(chunk.to, view)).toMatchObject({ lines: 2, to: 5 })
  })
})
