/** A runtime's socket that is none, or that nobody answers: applogs is there, says what is wrong, and what will be. */
import { afterAll, afterEach, beforeAll, expect } from "bun:test"
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PrivateRuntime } from "../runtime.ts"
import { until } from "../sandbox.ts"
import { Applogs } from "./applogs.ts"
import { describeReal, startRuntime, testWith } from "./runtime.ts"
import { readText } from "./wire.ts"

interface Wrong {
  readonly title: string
  /** Puts something there that is no engine. */
  readonly put: (path: string) => Promise<void> | void
  /** What an operator reads of it. */
  readonly says: RegExp
}

const undo: (() => void)[] = []

const WRONG: readonly Wrong[] = [
  { title: "missing", put: () => {}, says: /there is no such socket: start the engine/ },
  {
    title: "a plain file",
    put: (path) => writeFileSync(path, ""),
    says: /(nobody listens there|it is not a socket): /,
  },
  {
    title: "left behind by an engine that is gone",
    put: refuse,
    says: /nobody listens there: start the engine/,
  },
  {
    title: "open, and hangs behind accept",
    put: (path) => listen(path, () => {}),
    says: /no answer within/,
  },
  {
    title: "open, and closes what it accepts",
    put: (path) => listen(path, (socket) => socket.destroy()),
    says: /the connection broke/,
  },
  {
    title: "open, and speaks something else than HTTP",
    put: (path) => listen(path, (socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n")),
    says: /it does not speak HTTP: say where/,
  },
]

describeReal("a runtime's socket that is", () => {
  let real: PrivateRuntime
  let flag = ""
  let socket = ""
  beforeAll(async () => {
    real = await startRuntime()
    const flags = Object.entries(real.flags)
    ;[flag, socket] = flags.find(([name]) => name.endsWith("-socket")) ?? ["", ""]
    await real.exited(await real.run({ name: "shop", command: ["/bin/sh", "-c", "echo open"] }))
  })
  afterEach(() => {
    for (const each of undo.splice(0).toReversed()) each()
  })
  afterAll(() => real?.[Symbol.asyncDispose]())

  for (const { title, put, says } of WRONG) {
    testWith("socket", `${title}: 503 until there is a real one`, async () => {
      const directory = mkdtempSync(join(tmpdir(), "applogs-socket-"))
      undo.push(() => rmSync(directory, { recursive: true }))
      const path = join(directory, "engine.sock")
      await put(path)
      await using applogs = new Applogs({ flags: { ...real.flags, [flag]: path } })
      await applogs.start()
      let detail = ""
      const isSaid = async () => {
        for (const place of ["/api/apps", "/api/apps/shop/logs", "/api/apps/shop/logs/stream"]) {
          const answer = await applogs.get(place)
          expect(answer.status).toBe(503)
          expect(answer.headers.get("retry-after")).toMatch(/^\d+$/)
          const problem = JSON.parse(await readText(answer)) as { code: string; detail: string }
          expect(problem.code).toBe("runtime_unavailable")
          detail = problem.detail
        }
        expect((await applogs.get("/healthz")).status).toBe(200)
        expect((await applogs.get("/readyz")).status).toBe(503)
        return says.test(detail) && detail.includes(path)
      }
      await until(isSaid, { what: `a problem that says ${says}` }).catch((error: unknown) => {
        throw new Error(`the last problem said: ${detail}`, { cause: error })
      })
      expect(applogs.log()).toMatch(/level=warn event="runtime down" runtime=\w+ reason=/)

      // In one step, as an engine that starts does it.
      symlinkSync(socket, join(directory, "real"))
      renameSync(join(directory, "real"), path)
      await applogs.ready()
      expect(await applogs.getText("/api/apps/shop/logs")).toEndWith(" shop | open\n")
      expect(applogs.log()).not.toContain("level=error")
    })
  }
})

async function listen(path: string, onConnection: (socket: Socket) => void): Promise<void> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  undo.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
}

/** A socket whose listener is gone: its file would go with it, were it called as it was. */
async function refuse(path: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(`${path}.bound`, resolve))
  renameSync(`${path}.bound`, path)
  await new Promise((resolve) => server.close(resolve))
}
