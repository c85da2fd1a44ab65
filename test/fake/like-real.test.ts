/** The fake engine against a real one: the same output, the same questions, the same answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { parseRfc3339, toNanoseconds } from "../../src/time.ts"
import type { HostContainer, HostContainerSpec } from "../conformance/host.ts"
import { FakeDockerHost } from "../conformance/fake-docker.ts"
import { RealHost } from "../conformance/real-host.ts"
import { type PrivateDocker, startDocker } from "../real/docker.ts"
import { whyNoDocker } from "../real/machine.ts"
import { WireClient } from "./client.ts"
import { FakeEngine } from "./engine.ts"
import { OUTPUT, queries, unlike } from "./questions.ts"

const LIMIT_MS = 60_000
const STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z/g

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly state: string
  /** As Latin-1. */
  readonly chunks: readonly string[]
}

async function ask(socket: string, target: string): Promise<Answer> {
  const { response } = await WireClient.get(socket, target)
  return answerOf(response)
}

function answerOf(response: WireClient["response"]): Answer {
  const { date: _, server: __, ...headers } = response.headers
  return {
    status: response.status,
    headers: Object.entries(headers)
      .map((pair) => pair.join(": "))
      .toSorted(),
    state: response.state,
    chunks: response.chunks.map((chunk) => Buffer.from(chunk).toString("latin1")),
  }
}

const masked = (answer: Answer): Answer => ({
  ...answer,
  chunks: answer.chunks.map((chunk) => chunk.replaceAll(STAMP, "<stamp>")),
})

describe.skipIf(whyNoDocker() !== undefined)("the fake engine answers as a real one", () => {
  let docker: PrivateDocker
  let real: RealHost
  let engine: FakeEngine
  let fake: FakeDockerHost
  beforeAll(async () => {
    docker = await startDocker()
    real = new RealHost(docker)
    const ping = await WireClient.get(docker.socket, "/_ping")
    engine = await FakeEngine.start({ api: ping.response.headers["api-version"] ?? "" })
    fake = new FakeDockerHost(engine)
  })
  afterAll(async () => {
    await engine[Symbol.asyncDispose]()
    await docker[Symbol.asyncDispose]()
  })

  /** The same container in both. */
  async function both(
    spec: HostContainerSpec = {},
  ): Promise<readonly [HostContainer, HostContainer]> {
    return [await real.create(spec), await fake.create(spec)]
  }

  test(
    "to the same output with the same records",
    async () => {
      for (const tty of [false, true]) {
        const pair = await both({ tty })
        for (const container of pair) {
          await container.write(OUTPUT)
          await container.exit(0)
          await container.start()
          await container.write([{ stream: "stdout", text: "second run\n" }])
        }
        const [a, b] = pair
        for (const query of [
          "timestamps=1",
          "timestamps=0",
          "timestamps=1&tail=7",
          "tail=1&follow=0",
        ]) {
          const logs = (id: string) => `/containers/${id}/logs?stdout=1&stderr=1&${query}`
          const expected = masked(await ask(docker.socket, logs(a.id)))
          expect(masked(await ask(engine.socketPath, logs(b.id)))).toEqual(expected)
        }
      }
    },
    LIMIT_MS,
  )

  test(
    "to every query over the same records with the same bytes",
    async () => {
      for (const tty of [false, true]) {
        const made = await real.create({ tty, output: OUTPUT, exitCode: 0 })
        const copy = engine.addContainer({ tty })
        const stamps: bigint[] = []
        for (const record of readFileSync(docker.logFile(made.id), "utf8").trim().split("\n")) {
          const { log, stream, time } = JSON.parse(record) as Record<
            "log" | "stream" | "time",
            string
          >
          const stamp = parseRfc3339(time)
          if (stamp === undefined) throw new Error(`no time: ${time}`)
          stamps.push(toNanoseconds(stamp))
          copy.record(stream === "stderr" ? "stderr" : "stdout", log, stamps.at(-1))
        }
        copy.exit(0)
        for (const query of queries(stamps)) {
          const logs = (id: string) => `/v1.41/containers/${id}/logs?${query}`
          const expected = await ask(docker.socket, logs(made.id))
          expect(await ask(engine.socketPath, logs(copy.id))).toEqual(expected)
        }
      }
    },
    LIMIT_MS,
  )

  test.each(["&tail=2", "&tail=0", "", "&tail=all&timestamps=1"])(
    "to a follower (%s): what is there, what comes, and the end",
    async (query) => {
      const answers: Answer[] = []
      for (const [container, socket] of [
        [await real.create({ output: OUTPUT }), docker.socket],
        [await fake.create({ output: OUTPUT }), engine.socketPath],
      ] as const) {
        const target = `/containers/${container.id}/logs?stdout=1&stderr=1&follow=1${query}`
        using client = await WireClient.open(socket, target)
        await client.until(() => client.response.status === 200, "the headers")
        // Its headers are sent before it looks where the log ends: a first line tells that it has.
        await container.write([{ stream: "stdout", text: "live\n" }])
        await client.until(() => client.body.includes("live"), "the live line")
        await container.write([...OUTPUT.slice(0, -1), { stream: "stdout", text: "at last\n" }])
        // Followers of 20.10 may miss what is logged last when they are ended.
        await client.until(() => client.body.includes("at last"), "the last line")
        await container.stop()
        await client.until(() => client.response.state === "complete", "the end")
        answers.push(masked(answerOf(client.response)))
      }
      expect(answers[1]).toEqual(answers[0] as Answer)
    },
    LIMIT_MS,
  )

  test("with the same errors", async () => {
    const readable = await both({ output: [{ stream: "stdout", text: "x\n" }] })
    const unreadable = await both({ unreadable: true })
    const unknown = "0123456789abcdef".repeat(4)
    const times = ["2020-01-01T00:00:00Z", "1e9", "1.5.5", "1.x", "x", "1.", "-"]
    const targets = (which: 0 | 1) => [
      `/containers/${unreadable[which].id}/logs?stdout=1`,
      `/containers/${unreadable[which].id}/logs?stdout=1&since=x`,
      `/containers/${unreadable[which].id}/logs`,
      `/containers/${unknown}/json`,
      `/containers/${unknown}/logs?stdout=1`,
      `/containers/${unknown}/logs`,
      "/v1.99/_ping",
      "/v1.99/containers/json",
      ...times.map((time) => `/containers/${readable[which].id}/logs?stdout=1&since=${time}`),
      ...times.map((time) => `/containers/${readable[which].id}/logs?stdout=1&until=${time}`),
    ]
    const ours = targets(1)
    for (const [index, target] of targets(0).entries()) {
      const answer = await ask(engine.socketPath, ours[index] ?? "")
      expect(answer).toEqual(await ask(docker.socket, target))
    }
  })

  test("about itself", async () => {
    expect(await ask(engine.socketPath, "/_ping")).toEqual(await ask(docker.socket, "/_ping"))
  })

  test("about containers, in fields of the same names and kinds", async () => {
    const pair = await both({
      labels: { a: "b" },
      tty: true,
      output: [{ stream: "stdout", text: "x\n" }],
    })
    for (const state of ["running", "exited"] as const) {
      if (state === "exited") for (const container of pair) await container.exit(3)
      const tellOf = async (socket: string, { id }: HostContainer) => {
        const [list, inspection] = await Promise.all(
          ["/containers/json?all=1", `/containers/${id}/json`].map(async (target) => {
            return JSON.parse((await WireClient.get(socket, target)).body.toString()) as unknown
          }),
        )
        const listed = (list as { Id: string }[]).find((entry) => entry.Id === id)
        return { listed, inspection }
      }
      const expected = await tellOf(docker.socket, pair[0])
      const actual = await tellOf(engine.socketPath, pair[1])
      expect(unlike(actual, expected)).toEqual([])
      expect(actual).toMatchObject({
        listed: { State: state },
        inspection: { State: { Status: state } },
      })
      expect(expected).toMatchObject({
        listed: { State: state },
        inspection: { State: { Status: state } },
      })
    }
  })

  test(
    "about a container's life, in events",
    async () => {
      const filters = encodeURIComponent(JSON.stringify({ type: ["container"] }))
      const lives: unknown[] = []
      for (const [host, socket] of [
        [real, docker.socket],
        [fake, engine.socketPath],
      ] as const) {
        using client = await WireClient.open(socket, `/events?filters=${filters}`)
        await client.until(() => client.response.status === 200, "the headers")
        const container = await host.create({ name: "a-life", labels: { a: "b" } })
        await container.exit(3)
        await container.start()
        await container.stop()
        await container.start()
        await container.restart()
        await container.remove()
        const events = () =>
          client.body
            .toString()
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line) as LifeEvent)
            // How many signals it takes depends on how the container is stopped.
            .filter(({ id, Action }) => id === container.id && Action !== "kill")
        await client.until(() => events().some(({ Action }) => Action === "destroy"), "the end")
        lives.push(events().map(told))
      }
      expect(lives[1]).toEqual(lives[0])
    },
    LIMIT_MS,
  )
})

interface LifeEvent {
  readonly id: string
  readonly Action: string
  readonly Actor: { readonly Attributes: Readonly<Record<string, string>> }
}

function told(event: LifeEvent) {
  const { image: _, execDuration: __, ...attributes } = event.Actor.Attributes
  return { keys: Object.keys(event), action: event.Action, attributes }
}
