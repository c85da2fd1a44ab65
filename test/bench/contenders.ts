/** All the ways to a container's whole log that are measured, and what each of them must hand out. */
import type { PrivateDocker } from "../real/docker.ts"
import { isLast, readStream } from "./sse.ts"
import type { Service } from "./service.ts"

/** Takes the bytes as they come. Not given: they are thrown away, at no cost. */
export type Sink = (bytes: Uint8Array) => void

export interface Contender {
  readonly name: string
  /** The applogs that it asks, and how fast that has promised to be. */
  readonly service?: { readonly pid: number; readonly goal: Goal }
  /** Resolves when the last line has come. */
  run(sink?: Sink): Promise<void>
}

/** Shares of the speed of others. */
export interface Goal {
  readonly curl: number
  readonly dockerLogs: number
}

const BY_API: Goal = { curl: 0.85, dockerLogs: 1 }
const BY_FILE: Goal = { curl: 1, dockerLogs: 8 }

/** The lines of a log: numbered from 1, about 100 bytes each. */
export function fill(lines: number): string[] {
  const words = "the quick brown fox jumps over the lazy dog and runs away into the forest at night"
  const program = `BEGIN { for (i = 1; i <= ${lines}; i++) printf "%010d ${words} again %d\\n", i, i % 9 }`
  return ["/bin/awk", program]
}

/** What each line of `fill` has, once, with its number. */
export const MARK = /(\d{10}) the quick/g

export function contendersOf(
  docker: PrivateDocker,
  services: { readonly api: Service; readonly file: Service },
  container: { readonly id: string; readonly name: string; readonly lines: number },
): Contender[] {
  const { id, name, lines } = container
  const api = `/containers/${id}/logs?stdout=1&stderr=1&timestamps=1`
  const last = `${String(lines).padStart(10, "0")} the quick`
  return [
    { name: "curl, Engine API", run: (sink) => curl(docker.socket, api, sink) },
    {
      name: "docker logs -t",
      run: (sink) => spawn(["docker", "-H", `unix://${docker.socket}`, "logs", "-t", id], sink),
    },
    ...ours("api", services.api, BY_API, name, last),
    ...ours("file", services.file, BY_FILE, name, last),
  ]
}

function ours(
  source: string,
  service: Service,
  goal: Goal,
  app: string,
  last: string,
): Contender[] {
  const { pid, socket } = service
  const logs = `/api/apps/${app}/logs`
  const stream = `${logs}/stream?since=2000-01-01T00:00:00Z`
  const ways: Record<string, Contender["run"]> = {
    text: (sink) => curl(socket, `${logs}?tail=all`, sink),
    ndjson: (sink) => curl(socket, `${logs}?tail=all&format=ndjson`, sink),
    SSE: (sink) => sse(socket, stream, last, sink),
  }
  return Object.entries(ways).map(([way, run]) => {
    return { name: `applogs ${way}, by ${source}`, service: { pid, goal }, run }
  })
}

function curl(socket: string, path: string, sink?: Sink): Promise<void> {
  return spawn(["curl", "-sS", "--fail", "--unix-socket", socket, `http://localhost${path}`], sink)
}

function sse(socket: string, path: string, last: string, sink?: Sink): Promise<void> {
  const done = isLast(last)
  return readStream(socket, path, (bytes) => {
    sink?.(bytes)
    return done(bytes)
  })
}

async function spawn(command: readonly string[], sink: Sink | undefined): Promise<void> {
  const options = { stdin: "ignore", stderr: "inherit" } as const
  const child = Bun.spawn([...command], { ...options, stdout: sink ? "pipe" : "ignore" })
  if (sink && child.stdout) for await (const bytes of child.stdout) sink(bytes)
  const code = await child.exited
  if (code !== 0) throw new Error(`${command.join(" ")}: exit code ${code}`)
}
