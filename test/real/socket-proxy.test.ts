/** Behind a proxy that lets through what applogs asks the engine, and cuts what is silent: nobody notices. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Applogs, startApplogs } from "./e2e/applogs.ts"
import { Follower } from "./e2e/follower.ts"
import { readText } from "./e2e/wire.ts"
import { startDocker } from "./docker.ts"
import { type HaproxyOptions, PrivateHaproxy } from "./haproxy.ts"
import { whyNoDocker, whyNoHaproxy } from "./machine.ts"
import type { PrivateRuntime } from "./runtime.ts"
import { until } from "./sandbox.ts"
import { writer } from "./writer.ts"

const ID = "[0-9a-f]{64}"
const WITHOUT_LOGS = ["/_ping", "/events", "/containers/json", `/containers/${ID}/json`]
/** All that applogs asks: the README names them. */
const ALL = [...WITHOUT_LOGS, `/containers/${ID}/logs`]

/** A connection to the engine that is lost sooner is taken for a sign that something is wrong with it. */
const IDLE_SECONDS = 6
/** So that a container is silent for longer than the proxy lets it. */
const RATE = 1 / (IDLE_SECONDS + 2)
const LINES = 2

const reason = whyNoDocker() ?? whyNoHaproxy()

describe.skipIf(reason !== undefined)(
  `behind a proxy of the engine's socket ${reason ?? ""}`,
  () => {
    let docker: PrivateRuntime
    beforeAll(async () => {
      docker = await startDocker()
      const command = writer({ name: "quiet", rate: RATE, streams: ["stdout"] })
      await docker.run({ name: "quiet", command })
    })
    afterAll(async () => {
      await docker?.[Symbol.asyncDispose]()
    })

    const behind = async (options: Partial<HaproxyOptions>) => {
      const { socket } = docker as PrivateRuntime & { readonly socket: string }
      const usual = { socket, paths: ALL, idleSeconds: IDLE_SECONDS, cutsEvents: true }
      return PrivateHaproxy.start({ ...usual, ...options })
    }
    const through = ({ socket }: PrivateHaproxy) => {
      const flags = { "--runtime": "docker", "--docker-socket": socket, "--log-source": "api" }
      return { flags }
    }

    for (const cutsEvents of [true, false]) {
      const which = cutsEvents ? "and events too" : "and spares events"
      test(`which cuts logs that are silent, ${which}: a client gets each line once, and no word of it`, async () => {
        await using proxy = await behind({ cutsEvents })
        await using applogs = await startApplogs(through(proxy))
        const follower = new Follower(applogs, "quiet", "tail=0")
        await follower.connect()
        await follower.readUntil(() => follower.lines.length >= LINES, `${LINES} lines`)
        follower.cut()
        const numbers = follower.lines.map(({ message }) => Number(message.split(" ")[2]))
        const [first = 0] = numbers
        expect(numbers).toEqual(numbers.map((_, index) => first + index))
        expect(follower.told.filter(({ type }) => type !== "ping")).toEqual([])
        expect(follower.connects).toBe(1)
      }, 60_000)
    }

    test("which lets nobody read logs: it is said which path has to be allowed", async () => {
      await using proxy = await behind({ paths: WITHOUT_LOGS })
      await using applogs = await startApplogs(through(proxy))
      const remedy = expect.stringContaining("allow GET /containers/{id}/logs")
      const answer = await applogs.get("/api/apps/quiet/logs")
      expect(answer.status).toBe(501)
      expect(JSON.parse(await readText(answer))).toMatchObject({
        code: "log_driver_unreadable",
        detail: remedy,
      })
    })

    test("which lets nobody list containers: so it is said", async () => {
      await using proxy = await behind({ paths: ["/_ping", "/events"] })
      await using applogs = new Applogs(through(proxy))
      await applogs.start()
      const said = () => applogs.log().includes("allow GET /containers/json")
      await until(said, { what: "the remedy" })
    })
  },
)
