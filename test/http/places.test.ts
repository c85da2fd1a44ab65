import { describe, expect, test } from "bun:test"
import { Key, noteKey } from "../../src/http/keys.ts"
import { Places } from "../../src/http/places.ts"
import { entryOf } from "./fakes.ts"

const KEYS = ["a", "b"].map((text) => new Key(entryOf(text)))

function requestWith(index?: number): Request {
  const request = new Request("http://localhost/")
  const key = index === undefined ? undefined : KEYS[index]
  if (key) noteKey(request, key)
  return request
}

const limits = { streams: 3, streamsPerKey: 2, snapshots: 1, tail: 10 }

describe("the places", () => {
  test("for streams are limited for each key, and in total", () => {
    const places = new Places(limits)
    const leave = places.takeStream(requestWith(0))
    places.takeStream(requestWith(0))
    expect(() => places.takeStream(requestWith(0))).toThrow("2 places for live streams of this key")
    // What was refused has taken no place in total.
    const leaveOther = places.takeStream(requestWith(1))
    for (const key of [0, 1, undefined]) {
      expect(() => places.takeStream(requestWith(key))).toThrow(
        "3 places for live streams are taken",
      )
    }
    leave()
    leave()
    places.takeStream(requestWith(0))
    expect(() => places.takeStream(requestWith(1))).toThrow("3 places")
    leaveOther()
    places.takeStream(requestWith(1))
  })

  test("of those who need no key are limited in total alone", () => {
    const places = new Places(limits)
    for (let client = 0; client < 3; client++) places.takeStream(requestWith())
    expect(() => places.takeStream(requestWith())).toThrow("3 places")
  })

  test("for snapshots are limited, and given back", () => {
    const places = new Places(limits)
    const leave = places.takeSnapshot()
    expect(() => places.takeSnapshot()).toThrow("1 places for snapshots")
    leave()
    leave()
    places.takeSnapshot()
    expect(() => places.takeSnapshot()).toThrow("1 places")
  })

  test("are as many as the limits say now; who has one keeps it", () => {
    const now = { ...limits }
    const places = new Places(now)
    const leaves = [0, 1].map((key) => places.takeStream(requestWith(key)))
    Object.assign(now, { streams: 1, streamsPerKey: 1, snapshots: 2 })
    expect(() => places.takeStream(requestWith())).toThrow("1 places for live streams are taken")
    leaves[1]?.()
    Object.assign(now, { streams: 2 })
    expect(() => places.takeStream(requestWith(0))).toThrow("1 places for live streams of this key")
    places.takeStream(requestWith(1))
    for (let reader = 0; reader < 2; reader++) places.takeSnapshot()
  })
})
