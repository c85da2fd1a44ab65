/** Random histories of an app and of two clients that look at it. */
import fc from "fast-check"
import type { StreamName } from "../../src/runtime.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import type { Write } from "./box.ts"
import type { Opening } from "./client.ts"

export interface HistoryOptions {
  readonly stepsBack: boolean
  readonly rotates: boolean
  /** Whether lines are written in parts, which bear the time of the first. */
  readonly parts: boolean
}

const n = fc.nat(5)

/** The first of the two is the more active one. */
const who = fc.constantFrom(0, 0, 1)

export type Step =
  /** Some lines of one container, which starts if it does not run. */
  | ({
      readonly do: "write"
      readonly n: number
      readonly tick: number
      readonly times: number
    } & Write)
  | { readonly do: "stop" | "remove"; readonly n: number }
  | { readonly do: "rotate"; readonly n: number; readonly share: number }
  /** A connection to the runtime ends. */
  | { readonly do: "cut"; readonly n: number; readonly fails: boolean }
  /** A container is created; the directory learns of what has happened; the runtime goes and comes. */
  | { readonly do: "add" | "learn" | "down" | "up" }
  | { readonly do: "wait"; readonly ms: number }
  | ({ readonly who: number } & Deed)

/** What a client does. */
export type Deed =
  | { readonly do: "come" }
  | { readonly do: "pull"; readonly count: number }
  | { readonly do: "leave"; readonly back: number }
  | { readonly do: "snapshot"; readonly tail: number | "all"; readonly by: "since" | "cursor" }

function say<const What extends Step["do"]>(what: What) {
  return fc.constant(what)
}

export function stepOf({ stepsBack, rotates, parts }: HistoryOptions): fc.Arbitrary<Step> {
  const write = fc.record({
    do: say("write"),
    n,
    times: fc.constantFrom(1, 1, 1, 2, 6),
    tick: fc.constantFrom(0, 0, 1, 9),
    stream: fc.constantFrom<StreamName>("stdout", "stdout", "stderr"),
    end: fc.constantFrom<Write["end"]>("feed", "feed", "feed", parts ? "part" : "feed", "torn"),
    back: stepsBack ? fc.constantFrom(0, 0, 0, 5, 40, 5_000_000_000) : fc.constant(0),
    lagMs: fc.constantFrom(0, 0, 0, 1, 30, 200),
  })
  const snapshot = fc.record({
    do: say("snapshot"),
    who,
    tail: fc.constantFrom<number | "all">(0, 1, 2, 5, 100, "all"),
    // A time says where to go on only where times rise from line to line.
    by: fc.constantFrom<"since" | "cursor">("cursor", stepsBack || parts ? "cursor" : "since"),
  })
  return fc.oneof(
    { weight: 60, arbitrary: write },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom("stop", "stop", "stop", "remove"), n }),
    },
    { weight: 2, arbitrary: fc.record({ do: say("cut"), n, fails: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: say("add") }) },
    { weight: 7, arbitrary: fc.record({ do: say("learn") }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("down", "up", "up") }) },
    {
      weight: 10,
      arbitrary: fc.record({
        do: say("wait"),
        ms: fc.constantFrom(1, 10, 100, 1_000, 20_000, 70_000),
      }),
    },
    { weight: 14, arbitrary: fc.record({ do: say("come"), who }) },
    {
      weight: 18,
      arbitrary: fc.record({ do: say("pull"), who, count: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ do: say("leave"), who, back: fc.constantFrom(0, 0, 1, 2, 5) }),
    },
    { weight: 3, arbitrary: snapshot },
    ...(rotates
      ? [
          {
            weight: 4,
            arbitrary: fc.record({
              do: say("rotate"),
              n,
              share: fc.nat(8).map((eighths) => eighths / 8),
            }),
          },
        ]
      : []),
  )
}

const queries = fc.constantFrom<LogQuery>(
  { includeNeeds: true },
  { includeNeeds: true },
  { includeNeeds: true },
  { includeNeeds: false },
  { includeNeeds: new Set(["redis"]), stream: "stdout" },
  { includeNeeds: true, stream: "stderr" },
  { includeNeeds: true, grep: "1" },
  { includeNeeds: true, grep: "_" },
  { includeNeeds: false, service: "web" },
  { includeNeeds: false, service: "needs-redis", grep: "z2" },
)

/** What the ring may hold: a few items, more, or all of them. */
export const ringSizes = fc.constantFrom(2_000, 6_000, 2_000_000)

const openings = fc.constantFrom<Opening>(
  {},
  {},
  { tail: 1 },
  { tail: 3 },
  { tail: 100 },
  { sinceMs: 0 },
  { sinceMs: 1_000 },
  { malformed: true },
)

/** What a client wants to see, and how it begins. */
export const interests = fc.tuple(queries, openings)
