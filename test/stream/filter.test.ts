import { describe, expect, test } from "bun:test"
import { isSelected, lineFilter, selectMembers } from "../../src/stream/filter.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import { lineOf, memberOf } from "./members.ts"

const web = memberOf(1)
const worker = memberOf(2, "worker")
const redis = memberOf(3, "needs-redis", "redis")
const postgres = memberOf(4, "needs-postgres", "postgres")
const app = { id: "shop", members: [web, worker, redis, postgres] }

describe("a query selects", () => {
  test("the app's own services, and the needs services that it asks for", () => {
    expect(selectMembers(app, { includeNeeds: false })).toEqual([web, worker])
    expect(selectMembers(app, { includeNeeds: true })).toEqual(app.members)
    const kinds: LogQuery = { includeNeeds: new Set(["redis", "mysql"]) }
    expect(selectMembers(app, kinds)).toEqual([web, worker, redis])
  })

  test("one service by its name alone, needs or not", () => {
    expect(selectMembers(app, { includeNeeds: true, service: "web" })).toEqual([web])
    expect(selectMembers(app, { includeNeeds: false, service: "needs-redis" })).toEqual([redis])
    expect(isSelected({ includeNeeds: true, service: "redis" }, redis)).toBe(false)
  })
})

describe("a line passes", () => {
  const out = lineOf("a [needle] in the hay")
  const err = lineOf("Needle", 1, "stderr")

  test("when its stream and its text are asked for", () => {
    const passing = (query: Partial<LogQuery>) =>
      [out, err].filter(lineFilter({ includeNeeds: true, ...query }))
    expect(passing({})).toEqual([out, err])
    expect(passing({ stream: "stderr" })).toEqual([err])
    expect(passing({ grep: "needle" })).toEqual([out])
    expect(passing({ grep: "eedle" })).toEqual([out, err])
    expect(passing({ grep: "eedle", stream: "stdout" })).toEqual([out])
    // A substring, no pattern.
    expect(passing({ grep: "[needle]" })).toEqual([out])
    expect(passing({ grep: ".*" })).toEqual([])
  })

  test("whatever its time: where to begin and to end is the reader's business", () => {
    expect(
      lineFilter({ includeNeeds: true, since: err.timestamp, until: err.timestamp })(out),
    ).toBe(true)
  })
})
