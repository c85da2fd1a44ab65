/** A socket that answers as an engine of one container does, and notes every request as it came over the wire. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { frame, stamp } from "../records/wire.ts"
import { ID } from "./questions.ts"

/** What only an inspection tells, and nobody else may. */
export const CANARY = "canary-of-the-environment"

const LABELS = { "applogs.app": "shop", "applogs.service": "web" }

const INSPECTION = {
  Created: "2026-01-01T00:00:00Z",
  Config: { Tty: false, Env: [`PASSWORD=${CANARY}`], Cmd: [CANARY] },
  State: { Running: true, Status: "running", StartedAt: "2026-01-01T00:00:00Z" },
  Mounts: [{ Source: CANARY }],
}

const KINDS = {
  docker: { created: 1_767_225_600, names: ["/web"], driver: "json-file" },
  podman: { created: "2026-01-01T00:00:00Z", names: ["web"], driver: "k8s-file" },
} as const

export class StubEngine implements AsyncDisposable {
  readonly requests: string[] = []
  readonly #directory = mkdtempSync(join(tmpdir(), "applogs-stub-"))
  readonly socket = join(this.#directory, "engine.sock")
  readonly #kind: (typeof KINDS)[keyof typeof KINDS]
  readonly #server = createServer(({ method, url = "" }, response) => {
    this.requests.push(`${method} ${url}`)
    response.setHeader("Api-Version", "1.43")
    if (this.#kind === KINDS.podman) response.setHeader("Libpod-API-Version", "5.8.0")
    this.#answer(url, response)
  })

  constructor(kind: keyof typeof KINDS) {
    this.#kind = KINDS[kind]
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.socket, resolve))
  }

  #answer(url: string, response: ServerResponse): void {
    const { created, names, driver } = this.#kind
    const path = url.replace(/\?.*/, "")
    if (path.endsWith("/_ping")) response.end("OK")
    else if (path.endsWith("/containers/json")) {
      const row = { Id: ID, Names: names, Labels: LABELS, State: "running", Created: created }
      response.end(JSON.stringify([row]))
    } else if (path.endsWith(`/containers/${ID}/json`)) {
      const HostConfig = { LogConfig: { Type: driver, Config: {} } }
      response.end(JSON.stringify({ ...INSPECTION, HostConfig }))
    } else if (path.endsWith(`/containers/${ID}/logs`)) {
      const body = Buffer.from(frame(1, `${stamp(1)} hello\n`), "latin1")
      if (url.includes("follow=1")) response.write(body)
      else response.end(body)
    } else if (path.endsWith("/events")) response.flushHeaders()
    else {
      response.statusCode = 403
      response.end()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    rmSync(this.#directory, { recursive: true })
  }
}
