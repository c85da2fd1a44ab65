import { expect, test } from "bun:test"
import { Body } from "./body.ts"
import { Delays } from "./delays.ts"
import { Numbers } from "./numbers.ts"
import { Order } from "./order.ts"

const line = (number: number) => `web.1 stdout ${String(number).padStart(10, "0")} xx`

function orderOf(numbers: readonly number[]): Order {
  const order = new Order()
  for (const number of numbers) order.add(number)
  return order
}

test("every line once and in order is complete, and not before the last", () => {
  expect(orderOf([1, 2, 3, 4])).toMatchObject({ count: 4, lost: 0, doubled: 0, reordered: 0 })
  expect(orderOf([1, 2, 3, 4]).isComplete(4)).toBe(true)
  expect(orderOf([1, 2, 3]).isComplete(4)).toBe(false)
})

test("what is lost, doubled or late is told apart", () => {
  const cases: [number[], Partial<Order>][] = [
    [[2, 3, 4], { first: 2, lost: 1, doubled: 0, reordered: 0 }],
    [[1, 4], { lost: 2, doubled: 0, reordered: 0 }],
    [[1, 2, 2, 3, 4], { lost: 0, doubled: 1, reordered: 0 }],
    [[1, 2, 3, 4, 1, 2, 3, 4], { lost: 0, doubled: 4, reordered: 0 }],
    [[1, 3, 2, 4], { lost: 0, doubled: 0, reordered: 1 }],
    [[4, 3, 2, 1], { lost: 0, doubled: 0, reordered: 3 }],
    [[1, 4, 3, 3], { lost: 1, doubled: 1, reordered: 1 }],
  ]
  for (const [numbers, counts] of cases) {
    const order = orderOf(numbers)
    expect(order).toMatchObject({ ...counts, count: numbers.length })
    expect(order.isComplete(4)).toBe(false)
  }
})

test("more gaps than are remembered are still lost", () => {
  const odd = Array.from({ length: 2_001 }, (_, at) => at * 2 + 1)
  expect(orderOf(odd)).toMatchObject({ lost: 2_000, doubled: 0, reordered: 0 })
})

/** The numbers that are found in an answer, given piece by piece. */
function numbersIn(pieces: readonly Buffer[]): number[] {
  const found: number[] = []
  const numbers = new Numbers((number) => found.push(number))
  const body = new Body((piece) => numbers.push(piece))
  for (const piece of pieces) body.add(piece)
  return found
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"

/** Each text a chunk; the third line is cut by a chunk's end. */
function chunked(): Buffer {
  const texts = [": connected\n\n", `${line(1)}\n${line(3)}\n`, line(3).slice(0, 15)]
  texts.push(`${line(3).slice(15)}\n`, "a line without a number. 1.1\n", line(2))
  const chunks = texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`)
  return Buffer.from(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`)
}

const plain = Buffer.from(`${HEAD}\r\n${line(1)}\n${line(3)}\n.1 std${line(3)}\n${line(2)}`)

test.each([
  ["chunks", chunked()],
  ["a plain body", plain],
])("numbers in %s are found wherever it is cut", (_, answer) => {
  const numbers = [1, 3, 3, 2]
  expect(numbersIn([answer])).toEqual(numbers)
  const bytes = Array.from(answer, (_byte, at) => answer.subarray(at, at + 1))
  expect(numbersIn(bytes)).toEqual(numbers)
  for (let first = 0; first < answer.length; first++) {
    for (const length of [1, 7, answer.length]) {
      const second = first + length
      const pieces = [answer.subarray(0, first), answer.subarray(first, second)]
      expect(numbersIn([...pieces, answer.subarray(second)])).toEqual(numbers)
    }
  }
})

test("an answer that is no stream is refused", () => {
  expect(() => numbersIn([Buffer.from("HTTP/1.1 429 No\r\n\r\n{}")])).toThrow("429")
})

test("delays are told to the millisecond", () => {
  const delays = new Delays()
  expect(delays.quantile(0.5)).toBeNaN()
  for (let ms = 0.5; ms < 100; ms++) delays.add(ms)
  delays.add(-1)
  delays.add(1e9)
  expect([delays.quantile(0.5), delays.quantile(0.98), delays.most]).toEqual([50, 99, 1e9])
  delays.clear()
  expect(delays.quantile(0.5)).toBeNaN()
})
