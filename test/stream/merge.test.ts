import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Block } from "../../src/runtime.ts"
import { entriesOf, Packed, type Some } from "../../src/stream/some.ts"
import type { Entry } from "../../src/stream/entry.ts"
import { mergeByTime } from "../../src/stream/merge.ts"
import { entryOf, memberOf } from "./members.ts"

const MEMBERS = Array.from({ length: 4 }, (_, number) => memberOf(number))

/** Each member's batches; `bare` ones end in an entry that has no line. */
const sources = fc.array(
  fc.array(fc.record({ times: fc.array(fc.nat(9), { maxLength: 4 }), bare: fc.boolean() }), {
    maxLength: 6,
  }),
  { maxLength: 4 },
)

type Batches = readonly { readonly times: readonly number[]; readonly bare: boolean }[]

function toEntries(batches: Batches, number: number): Entry[][] {
  const member = MEMBERS[number] ?? memberOf(number)
  return batches.map(({ times, bare }, batch) => [
    ...times.map((time, at) => entryOf(member, `${number}.${batch}.${at}`, time)),
    ...(bare ? [{ member, position: `bare${batch}` }] : []),
  ])
}

/** As a block, if all of them are lines. */
function pack(entries: readonly Entry[]): Some<Entry> {
  const times = entries.flatMap(({ line }) => line?.timestamp ?? [])
  const [first] = times
  const [latest] = times.toSorted().toReversed()
  if (!first || !latest || times.length < entries.length) return entries
  const toRows: Block["toRows"] = (_, take) => take(new Uint8Array())
  const block: Block = { length: times.length, first, latest, toRows }
  const { member, position } = entries.at(-1) as Entry
  return new Packed(member, block, position, () => entries)
}

async function* yieldAll(
  batches: readonly Some<Entry>[],
  onEnd: () => void = () => {},
): AsyncGenerator<Some<Entry>, void> {
  try {
    for (const batch of batches) yield batch
  } finally {
    onEnd()
  }
}

async function merge(all: readonly (readonly Some<Entry>[])[]): Promise<Entry[]> {
  const merged: Entry[] = []
  for await (const some of mergeByTime(all.map((batches) => yieldAll(batches)))) {
    const entries = entriesOf(some)
    expect(entries.length).toBeGreaterThan(0)
    merged.push(...entries)
  }
  return merged
}

const timeOf = ({ line }: Entry) => line?.timestamp ?? ""
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

describe("a merge", () => {
  test("gives every entry once, each source's in its own order", async () => {
    await fc.assert(
      fc.asyncProperty(sources, async (lists) => {
        const all = lists.map(toEntries)
        const merged = await merge(all)
        expect(merged).toHaveLength(all.flat(2).length)
        for (const [number, batches] of all.entries()) {
          const own = merged.filter(({ member }) => member === MEMBERS[number])
          expect(own).toEqual(batches.flat())
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test("is in order of time where each source is, and ties keep the order of the sources", async () => {
    await fc.assert(
      fc.asyncProperty(sources, async (lists) => {
        const sorted = lists.map((batches): Batches => {
          const times = batches.flatMap((batch) => batch.times).toSorted((a, b) => a - b)
          let taken = 0
          return batches.map(({ times: { length }, bare }) => {
            taken += length
            return { times: times.slice(taken - length, taken), bare }
          })
        })
        const all = sorted.map(toEntries)
        const lines = (await merge(all)).filter(({ line }) => line !== undefined)
        // Sorting keeps the order of equals.
        const expected = all.flat(2).filter(({ line }) => line !== undefined)
        expected.sort((a, b) => compare(timeOf(a), timeOf(b)))
        expect(lines).toEqual(expected)
      }),
      { numRuns: 1_000 },
    )
  })

  test("lets a line whose clock stepped back wait for its turn", async () => {
    const merged = await merge([
      toEntries([{ times: [5, 1, 6], bare: false }], 0),
      toEntries([{ times: [2, 3, 9], bare: false }], 1),
    ])
    const seconds = merged.map((entry) => Number(timeOf(entry).slice(17, 19)))
    expect(seconds).toEqual([2, 3, 5, 1, 6, 9])
  })

  test("of blocks gives what their lines would be, and those that are apart as they are", async () => {
    await fc.assert(
      fc.asyncProperty(sources, fc.array(fc.boolean()), async (lists, packs) => {
        const all = lists.map(toEntries)
        const wanted = await merge(all)
        let at = 0
        const packed = all.map((batches) =>
          batches.map((entries) => (packs[at++] ? pack(entries) : entries)),
        )
        expect(await merge(packed)).toEqual(wanted)
      }),
      { numRuns: 2_000 },
    )
    const early = [[1, 3, 2], [4]].map((times) => toEntries([{ times, bare: false }], 0).flat())
    const late = toEntries([{ times: [5, 6], bare: false }], 1).flat()
    const some: Some<Entry>[] = []
    const lanes = [early.map((entries) => pack(entries)), [pack(late)]]
    for await (const each of mergeByTime(lanes.map((lane) => yieldAll(lane)))) some.push(each)
    expect(some.map((each) => each instanceof Packed && each.block.length)).toEqual([3, 1, 2])
  })

  test("reads no further ahead than it must", async () => {
    let read = 0
    async function* count(number: number) {
      for (let batch = 0; batch < 9; batch++) {
        read++
        yield toEntries([{ times: [batch], bare: false }], number).flat()
      }
    }
    const merged = mergeByTime([count(0), count(1)])
    await merged.next()
    expect(read).toBe(2)
    await merged.next()
    expect(read).toBe(3)
    await merged.return()
  })

  test("that is left, or that a source breaks, ends every source", async () => {
    const ended: number[] = []
    const all = [0, 1, 2].map((number) =>
      yieldAll(
        toEntries(
          [
            { times: [1], bare: false },
            { times: [2], bare: false },
          ],
          number,
        ),
        () => {
          ended.push(number)
        },
      ),
    )
    const merged = mergeByTime(all)
    await merged.next()
    await merged.return()
    expect(ended.toSorted((a, b) => a - b)).toEqual([0, 1, 2])

    ended.length = 0
    async function* broken(): AsyncGenerator<readonly Entry[], void> {
      yield toEntries([{ times: [1], bare: false }], 3).flat()
      throw new Error("it broke")
    }
    const others = [0, 1].map((number) =>
      yieldAll(
        toEntries(
          [
            { times: [1], bare: false },
            { times: [9], bare: false },
          ],
          number,
        ),
        () => {
          ended.push(number)
        },
      ),
    )
    const read = async () => {
      for await (const _ of mergeByTime([...others, broken()])) void _
    }
    expect(await read().catch((error: unknown) => error)).toEqual(new Error("it broke"))
    expect(ended.toSorted((a, b) => a - b)).toEqual([0, 1])
  })
})
