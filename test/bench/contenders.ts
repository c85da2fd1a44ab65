/** All the ways to a container's whole log that are measured, and what each of them must hand out. */
import { open } from "node:fs/promises"
import type { CommandLine, PrivateRuntime } from "../real/runtime.ts"
import type { Service } from "./service.ts"
import { isLast, readStream } from "./sse.ts"

/** Takes the bytes as they come. Not given: they are thrown away, at no cost. */
export type Sink = (bytes: Uint8Array) => void

export interface Contender {
  readonly name: string
  /** The applogs that it asks, and how fast that has promised to be. */
  readonly service?: { readonly pid: number; readonly goals: readonly Goal[] }
  /** Resolves when the last line has come. */
  run(sink?: Sink): Promise<void>
}

/** So many times as fast as another contender. */
export interface Goal {
  readonly than: string
  readonly times: number
}

/** What is read: the log of a container that has ended. */
export interface Target {
  readonly id: string
  readonly name: string
  readonly lines: number
}

/** As much as applogs reads at once. */
const CHUNK = 262_144

/** The lines of a log: numbered from 1, about 100 bytes each. nerdctl stores the last ones only if there is time. */
export function fill(lines: number): string[] {
  const words = "the quick brown fox jumps over the lazy dog and runs away into the forest at night"
  const program = `BEGIN { for (i = 1; i <= ${lines}; i++) printf "%010d ${words} again %d\\n", i, i % 9 }`
  return ["/bin/sh", "-c", `awk '${program}'; sleep 1`]
}

/** What each line of `fill` has, once, with its number. */
export const MARK = /(\d{10}) the quick/g

/** The runtime's own way, which people know. */
export function runtimesOwn(name: string, runtime: PrivateRuntime, { id }: Target): Contender {
  const line = runtime.ownLogs(id)
  return { name, run: (sink) => spawn(line, sink) }
}

/** The Engine API alone, with nothing behind it. */
export function engineApi(name: string, socket: string, { id }: Target): Contender {
  const path = `/containers/${id}/logs?stdout=1&stderr=1&timestamps=1`
  return { name, run: (sink) => curl(socket, path, sink) }
}

/** The log file's bytes, read and thrown away: nobody who reads it can be faster. */
export function fileAlone(name: string, runtime: PrivateRuntime, { id }: Target): Contender {
  const path = runtime.logFile(id)
  return {
    name,
    async run(sink) {
      await using file = await open(path)
      const buffer = Buffer.allocUnsafe(CHUNK)
      for (let at = 0; ;) {
        const { bytesRead } = await file.read(buffer, 0, CHUNK, at)
        if (bytesRead === 0) return
        sink?.(buffer.subarray(0, bytesRead))
        at += bytesRead
      }
    },
  }
}

/** applogs, in each of its forms. */
export function ours(
  source: string,
  { pid, socket }: Service,
  goals: readonly Goal[],
  { name: app, lines }: Target,
): Contender[] {
  const logs = `/api/apps/${app}/logs`
  const stream = `${logs}/stream?since=2000-01-01T00:00:00Z`
  const last = `${String(lines).padStart(10, "0")} the quick`
  const ways: Record<string, Contender["run"]> = {
    text: (sink) => curl(socket, `${logs}?tail=all`, sink),
    ndjson: (sink) => curl(socket, `${logs}?tail=all&format=ndjson`, sink),
    SSE: (sink) => sse(socket, stream, last, sink),
  }
  return Object.entries(ways).map(([way, run]) => {
    return { name: `applogs ${way}, by ${source}`, service: { pid, goals }, run }
  })
}

function curl(socket: string, path: string, sink?: Sink): Promise<void> {
  const command = ["curl", "-sS", "--fail", "--unix-socket", socket, `http://localhost${path}`]
  return spawn({ command, env: { PATH: process.env["PATH"] ?? "" } }, sink)
}

function sse(socket: string, path: string, last: string, sink?: Sink): Promise<void> {
  const done = isLast(last)
  return readStream(socket, path, (bytes) => {
    sink?.(bytes)
    return done(bytes)
  })
}

async function spawn({ command, env }: CommandLine, sink: Sink | undefined): Promise<void> {
  const options = { stdin: "ignore", stderr: "inherit", env: { ...env } } as const
  const child = Bun.spawn([...command], { ...options, stdout: sink ? "pipe" : "ignore" })
  if (sink && child.stdout) for await (const bytes of child.stdout) sink(bytes)
  const code = await child.exited
  if (code !== 0) throw new Error(`${command.join(" ")}: exit code ${code}`)
}
