import { expect, test } from "bun:test"
import { Failure } from "../../src/errors.ts"
import { createObserve } from "../../src/observe.ts"
import type { Batch } from "../../src/runtime.ts"
import { Channels } from "../../src/stream/channels.ts"
import type { LogReader } from "../../src/stream/counted.ts"
import { settle } from "../logapi/fake-time.ts"
import { World } from "./world.ts"

const ALL = { includeNeeds: true }

async function createScene(reader?: LogReader) {
  const world = new World()
  for (let count = 0; count < 3; count++) world.add()
  world.learn()
  const observe = createObserve({ level: "error", write: () => {} })
  const options = { runtime: reader ?? world, directory: world, observe, ringBytes: 100_000 }
  const channels = new Channels(options, new AbortController().signal)
  const followers = async () => {
    await settle()
    const { body } = await observe.metrics()
    return Number(/^applogs_followers (\d+)$/m.exec(body)?.[1])
  }
  return { world, channels, followers }
}

test("each container that anybody wants to see is followed once, and no other", async () => {
  const { channels, followers } = await createScene()
  const web = channels.join("shop", { includeNeeds: false, service: "web" })
  expect(await followers()).toBe(1)
  const all = [1, 2, 3].map(() => channels.join("shop", ALL))
  expect(new Set(all.map(({ channel }) => channel))).toEqual(new Set([web.channel]))
  expect(await followers()).toBe(3)
  for (const { leave } of all) leave()
  expect(await followers()).toBe(1)
  web.leave()
  web.leave()
  expect(await followers()).toBe(0)
  // The next one begins anew.
  const next = channels.join("shop", ALL)
  expect(next.channel).not.toBe(web.channel)
  next.leave()
})

test("a container that is removed is followed no more, whether or not its log could be read", async () => {
  const unreadable: LogReader = {
    // oxlint-disable-next-line require-yield
    async *read(): AsyncGenerator<Batch, void> {
      throw new Failure("log_driver_unreadable", "nobody keeps it")
    },
  }
  for (const reader of [undefined, unreadable]) {
    const { world, channels, followers } = await createScene(reader)
    const { channel, leave } = channels.join("shop", ALL)
    expect(await followers()).toBe(3)
    const members = channel.members(ALL)
    expect(members.every((member) => channel.isUnreadable(member))).toBe(reader !== undefined)
    // No client is made to wait for what will never be read.
    expect(channel.isSettled(members)).toBe(true)
    world.boxes[0]?.remove()
    world.learn()
    expect(await followers()).toBe(2)
    expect(channel.members(ALL)).toHaveLength(2)
    leave()
  }
})
