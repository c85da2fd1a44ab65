/**
 * The process of a crowd (`crowd.ts`): opens the streams, counts what comes, and answers each message with its figures.
 * Many clients get the same lines, so a line's stamp is read once, by whoever gets it first.
 */
import type { CrowdOptions, Figures } from "./crowd.ts"
import { Body } from "./body.ts"
import { Delays } from "./delays.ts"
import { Numbers } from "./numbers.ts"
import { Order } from "./order.ts"

/** So many are opened at once: a Unix socket refuses those that its queue has no room for. */
const WIDTH = 64

/** What ends the stamp before a line, and how much of it there is up to the millisecond, and in all. */
const ZULU = 0x5a
const STAMP = { toMs: 23, whole: 29 }

const options = JSON.parse(process.argv[2] ?? "") as CrowdOptions
const head = `${options.request}\r\nHost: localhost\r\n\r\n`
/** Of the streams that have been opened. */
const orders: Order[] = []
const delays = new Delays()
/** By their numbers, when the lines were stamped: milliseconds since 1970; 0 while nobody knows. */
const stamps = new Float64Array(options.lines + 1)
const streams = { begun: 0, ended: 0, refused: 0, refusal: "" }
let now = 0

process.on("message", ({ afresh }: { afresh: boolean }) => {
  process.send?.(figures())
  if (afresh) delays.clear()
})
// Nobody would read what is counted any more.
process.on("disconnect", () => process.exit())

await Promise.all(Array.from({ length: WIDTH }, openNext))

/** Opens one after the other, as long as there are too few. */
async function openNext(): Promise<void> {
  while (streams.begun++ < options.clients) {
    const order = new Order()
    try {
      await open(order)
      orders.push(order)
    } catch (error) {
      if (streams.refused++ === 0) streams.refusal = String(error)
    }
  }
}

/** Resolves once the server has begun to answer. */
async function open(order: Order): Promise<void> {
  const begun = Promise.withResolvers<void>()
  const numbers = new Numbers((number, bytes, at) => {
    order.add(number)
    const stamp = stamps[number] || readStamp(number, bytes, at)
    if (stamp > 0) delays.add(now - stamp)
  })
  const body = new Body((piece) => numbers.push(piece))
  await Bun.connect({
    unix: options.socket,
    socket: {
      open: (socket) => void socket.write(head),
      data(socket, bytes) {
        now = performance.timeOrigin + performance.now()
        try {
          body.add(bytes)
        } catch (error) {
          begun.reject(error)
          socket.terminate()
        }
        if (body.begun) begun.resolve()
      },
      error: (_, error) => begun.reject(error),
      close() {
        if (body.begun) streams.ended++
        begun.reject(new Error("the connection was closed"))
      },
    },
  })
  await begun.promise
}

/** 0 if it came in an earlier piece. */
function readStamp(number: number, bytes: Buffer, at: number): number {
  const from = bytes.lastIndexOf(ZULU, at) - STAMP.whole
  if (from < 0 || number >= stamps.length) return 0
  const ms = Date.parse(`${bytes.toString("latin1", from, from + STAMP.toMs)}Z`)
  // What is cut off may look like a stamp, and be none.
  stamps[number] = ms || 0
  return ms || 0
}

function figures(): Figures {
  const sum = (key: "count" | "lost" | "doubled" | "reordered") =>
    orders.reduce((total, order) => total + order[key], 0)
  const newest = orders.reduce((most, order) => Math.max(most, order.last), 0)
  const first = stamps.find((stamp) => stamp > 0) ?? 0
  const { ended, refused, refusal } = streams
  return {
    opened: orders.length,
    ended,
    refused,
    refusal,
    count: sum("count"),
    lost: sum("lost"),
    missedFirst: orders.reduce((total, order) => total + Math.max(order.first - 1, 0), 0),
    doubled: sum("doubled"),
    reordered: sum("reordered"),
    complete: orders.filter((order) => order.isComplete(options.lines)).length,
    behind: orders.reduce((least, { last }) => Math.min(least, last), options.lines),
    delays: { p50: delays.quantile(0.5), p99: delays.quantile(0.99), most: delays.most },
    writtenMs: (stamps[newest] ?? 0) - first,
  }
}
