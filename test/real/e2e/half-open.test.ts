/**
 * A client whose network vanishes: no FIN and no RST ever comes. applogs runs in a network namespace of its own, where
 * every packet can be dropped without anybody else's noticing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { staticBusybox } from "../machine.ts"
import type { PrivateRuntime } from "../runtime.ts"
import { until } from "../sandbox.ts"
import { Applogs } from "./applogs.ts"
import { describeReal, startRuntime } from "./runtime.ts"
import { Shop } from "./shop.ts"
import { get, readText } from "./wire.ts"

const CLIENTS = 20
/**
 * How often the kernel sends again what is not acknowledged before it gives a connection up: five times are 13 s. Its
 * default of 15 times are a quarter of an hour, and the executable asks for nothing else.
 */
const RETRIES = 5
const GONE_MS = 60_000

const reason = whyNot()

describe.skipIf(reason !== undefined)(
  `clients whose network vanishes [${reason ?? "netns"}]`,
  () => {
    describeReal("an app that writes", () => {
      let real: PrivateRuntime
      let applogs: Applogs
      let shop: Shop
      beforeAll(async () => {
        real = await startRuntime()
        shop = new Shop(real, "far")
        await shop.open({ load: 0.02 })
        const keep = "/proc/sys/net/ipv4/tcp_retries2"
        const inside = `ip link set lo up && echo ${RETRIES} >${keep} && exec "$@"`
        applogs = new Applogs(real, { under: ["unshare", "--net", "sh", "-c", inside, "sh"] })
        await applogs.start()
        await until(async () => (await local("/readyz")).status === 200, { what: "/readyz" })
      })
      afterAll(async () => {
        await applogs?.[Symbol.asyncDispose]()
        await real?.[Symbol.asyncDispose]()
      })

      test(`${CLIENTS} of them are let go of when the kernel gives them up`, async () => {
        const clients = Array.from({ length: CLIENTS }, () => {
          const { port } = applogs.address as { port: number }
          return within([staticBusybox() ?? "", "nc", "127.0.0.1", `${port}`])
        })
        try {
          for (const { stdin } of clients) {
            const head = `Host: x\r\nAuthorization: Bearer ${applogs.key}\r\n\r\n`
            await stdin.write(`GET /api/apps/far/logs/stream HTTP/1.1\r\n${head}`)
            await stdin.flush()
          }
          await until(async () => (await streams()) === CLIENTS, { what: "the streams" })
          expect(await within(["iptables", "-A", "INPUT", "-j", "DROP"]).exited).toBe(0)
          const began = performance.now()
          await until(async () => (await streams()) === 0, {
            what: `${CLIENTS} clients to be let go of`,
            timeoutMs: GONE_MS,
          })
          console.log(`let go of after ${((performance.now() - began) / 1000).toFixed(0)} s`)
        } finally {
          for (const client of clients) client.kill("SIGKILL")
        }
      })

      /** A program in the network namespace of applogs. */
      function within(command: readonly string[]) {
        return Bun.spawn(["nsenter", `--net=/proc/${applogs.pid}/ns/net`, ...command], {
          stdin: "pipe",
          stdout: "ignore",
          stderr: "inherit",
        })
      }

      function local(path: string) {
        return get({ path: applogs.localSocket }, path)
      }

      async function streams(): Promise<number> {
        const text = await readText(await local("/metrics"))
        return Number(/^applogs_streams_open (\d+)$/m.exec(text)?.[1])
      }
    })
  },
)

/** Why packets cannot be dropped here. */
function whyNot(): string | undefined {
  for (const program of ["unshare", "nsenter", "ip", "iptables"]) {
    if (Bun.which(program) === null) return `${program} is not installed`
  }
  const probe =
    "ip link set lo up && iptables -A INPUT -j DROP && test -w /proc/sys/net/ipv4/tcp_retries2"
  const { exitCode } = Bun.spawnSync(["unshare", "--net", "sh", "-c", probe])
  return exitCode === 0 ? undefined : "no network namespace can be made here"
}
