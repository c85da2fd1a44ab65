/** Whatever clients ask for, an engine hears only what applogs may say to it; and what it tells, they do not all hear. */
import { expect, test } from "bun:test"
import { Service, untilIt } from "../commands/service.ts"
import { askable, askAll, ID } from "./questions.ts"
import { CANARY, StubEngine } from "./stub-engine.ts"

const SEED = Number(Bun.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const QUESTIONS = 600

/** Every request that there is, whole. */
const MAY_SAY = {
  docker: [
    /^GET (\/v1\.43)?\/_ping\??$/,
    /^GET \/v1\.43\/events\?filters=%7B[\w%.-]+%7D&since=\d+\.\d{9}$/,
    /^GET \/v1\.43\/containers\/json\?all=1$/,
    new RegExp(`^GET /v1\\.43/containers/${ID}/json\\??$`),
    new RegExp(
      `^GET /v1\\.43/containers/${ID}/logs\\?stdout=1&stderr=1&timestamps=1(&follow=1)?(&tail=\\d+)?(&since=\\d+\\.\\d{9})?$`,
    ),
  ],
  podman: [
    /^GET \/_ping\??$/,
    /^GET \/events\?filters=%7B[\w%.-]+%7D&since=\d+\.\d{9}$/,
    /^GET \/v4\.0\.0\/libpod\/containers\/json\?all=true&pod=true$/,
    new RegExp(`^GET /v4\\.0\\.0/libpod/containers/${ID}/json\\??$`),
    new RegExp(
      `^GET /v4\\.0\\.0/libpod/containers/${ID}/logs\\?stdout=true&stderr=true&timestamps=true(&since=\\d+\\.\\d{9})?$`,
    ),
  ],
} as const

const OTHERS = ["/api/apps", "/metrics", "/openapi.json", "/docs", "/readyz", "/healthz"]

test.each(["docker", "podman"] as const)(
  "%s is asked nothing else, and its secrets are nobody's",
  async (runtime) => {
    console.log(`questions to ${runtime}: seed ${SEED}`)
    await using engine = new StubEngine(runtime)
    await engine.start()
    const flags = [`--${runtime}-socket`, engine.socket, "--log-source", "api"]
    await using service = new Service([...flags, "--log-level", "debug"], {}, runtime)
    await service.listening()
    await untilIt("is ready", async () => (await service.get("/readyz")).status === 200)
    const answered = await askAll(service.socket, [...askable(QUESTIONS, SEED), ...OTHERS])
    expect(answered.filter(({ status }) => status >= 500)).toEqual([])
    expect(answered.filter(({ text }) => text.includes(CANARY))).toEqual([])
    expect(service.errors).not.toContain(CANARY)
    // They were not all turned away at the door.
    const {
      200: answers,
      400: refusals,
      404: absent,
    } = Object.groupBy(answered, (each) => each.status)
    for (const each of [answers, refusals, absent]) {
      expect(each?.length).toBeGreaterThan(QUESTIONS / 20)
    }
    const { requests } = engine
    const isAllowed = (request: string) => MAY_SAY[runtime].some((each) => each.test(request))
    expect(requests.filter((request) => !isAllowed(request))).toEqual([])
    for (const each of MAY_SAY[runtime]) {
      expect(requests.some((request) => each.test(request))).toBe(true)
    }
  },
  60_000,
)

test.each([ID, ID.slice(0, 12), "0", "-f", "--since", "web"])(
  "%s is no app's name",
  async (name) => {
    await using engine = new StubEngine("docker")
    await engine.start()
    await using service = new Service(["--docker-socket", engine.socket], {}, "docker")
    await service.listening()
    await untilIt("is ready", async () => (await service.get("/readyz")).status === 200)
    for (const route of ["", "/logs", "/logs/stream"]) {
      expect((await service.get(`/api/apps/${name}${route}`)).status).toBe(404)
    }
    expect(engine.requests.filter((request) => request.includes("/logs"))).toEqual([])
  },
)
