import { describe, expect, test } from "bun:test"
import { logsOf, parseFrames, readTexts, WireClient } from "./client.ts"
import type { FakeContainer } from "./container.ts"
import { FakeEngine } from "./engine.ts"

const BASE = 1_800_000_000_000_000_000n

const seconds = (ns: bigint) =>
  `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, "0")}`

describe("records", () => {
  test("become frames of both streams in the order of the log, stamped with nine digits", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer()
    container.append("stdout", "one\n", BASE).append("stderr", "two\n", BASE + 10n)
    const { body, response } = await WireClient.get(
      engine.socketPath,
      logsOf(container, "&timestamps=1"),
    )
    expect(parseFrames(body)).toEqual([
      { type: 1, stamp: "2027-01-15T08:00:00.000000000Z", text: "one\n" },
      { type: 2, stamp: "2027-01-15T08:00:00.000000010Z", text: "two\n" },
    ])
    expect(response).toMatchObject({ status: 200, state: "complete" })
    expect(response.chunks).toHaveLength(2)
  })

  test("hold only the streams that were asked for", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer()
    container.append("stdout", "out\n").append("stderr", "err\n")
    const target = `/containers/${container.id}/logs?stderr=true`
    const { body } = await WireClient.get(engine.socketPath, target)
    expect(parseFrames(body)).toEqual([{ type: 2, stamp: "", text: "err\n" }])
  })

  test.each([
    [16_383, [16_384]],
    [16_384, [16_384, 1]],
    [16_385, [16_384, 2]],
    [3 * 16_384, [16_384, 16_384, 16_384, 1]],
  ])("of a line of %i bytes are %p bytes long and share a stamp", async (length, sizes) => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer()
    container.append("stdout", `${"x".repeat(length)}\n`)
    const { body } = await WireClient.get(engine.socketPath, logsOf(container, "&timestamps=1"))
    const frames = parseFrames(body)
    expect(frames.map(({ text }) => text.length)).toEqual(sizes)
    expect(frames.map(({ text }) => text.endsWith("\n"))).toEqual(
      sizes.map((_, index) => index === sizes.length - 1),
    )
    expect(new Set(frames.map(({ stamp }) => stamp)).size).toBe(1)
  })

  test("are made when a line ends, a record is full or the process ends, not before", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer()
    container.append("stdout", "begun")
    expect(await readTexts(engine.socketPath, container)).toEqual([])
    container.append("stdout", " and ended\nbegun again")
    expect(await readTexts(engine.socketPath, container)).toEqual(["begun and ended\n"])
    container.exit()
    expect(await readTexts(engine.socketPath, container)).toEqual([
      "begun and ended\n",
      "begun again",
    ])
  })

  test("of a TTY are bare, all on stdout, and end in CRLF", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer({ tty: true })
    container.append("stdout", "one\n", BASE).append("stderr", "two\n", BASE)
    const { body } = await WireClient.get(engine.socketPath, logsOf(container, "&timestamps=1"))
    const stamp = "2027-01-15T08:00:00.000000000Z"
    expect(body.toString()).toBe(`${stamp} one\r\n${stamp} two\r\n`)
  })

  test("of json-file are text, each invalid byte replaced; those of local are bytes", async () => {
    await using engine = await FakeEngine.start({ api: "1.43" })
    const bytes = Uint8Array.of(0x61, 0xff, 0xe2, 0x82, 0x62, 0x0a)
    const json = engine.addContainer().append("stdout", bytes)
    const local = engine.addContainer({ driver: "local" }).append("stdout", bytes)
    const read = async (container: FakeContainer) =>
      (await WireClient.get(engine.socketPath, logsOf(container))).body.subarray(8)
    expect((await read(json)).toString()).toBe("a\ufffd\ufffd\ufffdb\n")
    expect(Uint8Array.from(await read(local))).toEqual(bytes)
  })

  test("of the local driver up to 20.10 lack the newline behind a long line", async () => {
    for (const [api, last] of [
      ["1.41", "x"],
      ["1.42", "x\n"],
    ] as const) {
      await using engine = await FakeEngine.start({ api })
      const container = engine.addContainer({ driver: "local" })
      container.append("stdout", `${"x".repeat(16_385)}\nnext\n`)
      expect((await readTexts(engine.socketPath, container)).slice(1)).toEqual([last, "next\n"])
    }
  })
})

/** Stamps 0, 10, 20, then a clock that stepped back to 5, then 30. */
function steppedBack(engine: FakeEngine): FakeContainer {
  const container = engine.addContainer()
  for (const offset of [0n, 10n, 20n, 5n, 30n]) {
    container.append("stdout", `at ${offset}\n`, BASE + offset)
  }
  return container
}

describe("since, until and tail", () => {
  test("since is inclusive to the nanosecond", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer()
    container.append("stdout", "one\n", BASE + 1n).append("stdout", "two\n", BASE + 2n)
    expect(await readTexts(engine.socketPath, container, `&since=${seconds(BASE + 1n)}`)).toEqual([
      "one\n",
      "two\n",
    ])
    expect(await readTexts(engine.socketPath, container, `&since=${seconds(BASE + 2n)}`)).toEqual([
      "two\n",
    ])
    expect(await readTexts(engine.socketPath, container, `&since=${seconds(BASE + 3n)}`)).toEqual(
      [],
    )
  })

  test("since is asked of every record up to 23.0, and until it is met from 24.0 on", async () => {
    for (const [api, expected] of [
      ["1.42", ["at 10\n", "at 20\n", "at 30\n"]],
      ["1.43", ["at 10\n", "at 20\n", "at 5\n", "at 30\n"]],
    ] as const) {
      await using engine = await FakeEngine.start({ api })
      const container = steppedBack(engine)
      expect(
        await readTexts(engine.socketPath, container, `&since=${seconds(BASE + 10n)}`),
      ).toEqual([...expected])
    }
  })

  test("since is asked of live records too up to 23.0", async () => {
    for (const [api, expected] of [
      ["1.42", "at 30\nat 40\n"],
      ["1.43", "at 30\nat 6\nat 40\n"],
    ] as const) {
      await using engine = await FakeEngine.start({ api })
      const container = steppedBack(engine)
      const query = `&follow=1&since=${seconds(BASE + 25n)}`
      using client = await WireClient.open(engine.socketPath, logsOf(container, query))
      const text = () =>
        parseFrames(client.body)
          .map((frame) => frame.text)
          .join("")
      await client.until(() => text() === "at 30\n", "the backlog")
      container.append("stdout", "at 6\n", BASE + 6n).append("stdout", "at 40\n", BASE + 40n)
      await client.until(() => text().endsWith("at 40\n"), "the live records")
      expect(text()).toBe(expected)
    }
  })

  test("until is inclusive, and ends the response at the first record behind it", async () => {
    await using engine = await FakeEngine.start()
    const container = steppedBack(engine)
    expect(await readTexts(engine.socketPath, container, `&until=${seconds(BASE + 10n)}`)).toEqual([
      "at 0\n",
      "at 10\n",
    ])
    expect(await readTexts(engine.socketPath, container, `&until=${seconds(BASE + 9n)}`)).toEqual([
      "at 0\n",
    ])
    expect(await readTexts(engine.socketPath, container, "&until=0")).toHaveLength(5)
  })

  test("tail counts records of both streams, partial ones too, before the rest is asked", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer()
    container.append("stdout", "first\n", BASE)
    container.append("stderr", "err\n", BASE + 1n)
    container.append("stdout", `${"x".repeat(16_385)}\n`, BASE + 2n)
    expect(await readTexts(engine.socketPath, container, "&tail=0")).toEqual([])
    expect(await readTexts(engine.socketPath, container, "&tail=1")).toEqual(["x\n"])
    expect((await readTexts(engine.socketPath, container, "&tail=3"))[0]).toBe("err\n")
    expect(
      await readTexts(engine.socketPath, container, `&tail=3&since=${seconds(BASE + 2n)}`),
    ).toHaveLength(2)
    const target = `/containers/${container.id}/logs?stderr=1&tail=2`
    expect((await WireClient.get(engine.socketPath, target)).body).toBeEmpty()
  })

  test.each(["all", "", "-1", "1e1", "ten", "99999999999999999999"])(
    "tail=%s is all",
    async (tail) => {
      await using engine = await FakeEngine.start()
      const container = engine.addContainer().append("stdout", "a\nb\nc\n")
      expect(await readTexts(engine.socketPath, container, `&tail=${tail}`)).toEqual([
        "a\n",
        "b\n",
        "c\n",
      ])
    },
  )

  test("a rotation takes the oldest records", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer().append("stdout", "a\nb\nc\n")
    container.rotate(2)
    expect(await readTexts(engine.socketPath, container)).toEqual(["c\n"])
    container.rotate()
    expect(await readTexts(engine.socketPath, container)).toEqual([])
  })
})
