/**
 * How old a line is when it arrives, for applogs and `docker logs -f` side by side. A line's age counts from
 * the engine's own stamp on it: what the engine needs before that is the same for both.
 */
import { quantile, table, whole } from "./figures.ts"
import { readStream } from "./sse.ts"

export interface LiveOptions {
  readonly dockerSocket: string
  readonly serviceSocket: string
  readonly container: { readonly id: string; readonly name: string }
  /** Lines to look at, from the first that both receive. */
  readonly lines: number
}

/** The stamp at the head of a line of `docker logs -t`, and in a LogLine. */
const STAMP = /(?:^|"timestamp":")(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})Z/gm

/** Reads both streams until each has brought so many lines. The report, to print. */
export async function measureLive(options: LiveOptions): Promise<string> {
  const { container, dockerSocket, serviceSocket, lines } = options
  const docker = new Ages(lines)
  const applogs = new Ages(lines)
  const path = `/api/apps/${container.name}/logs/stream`
  await Promise.all([
    readStream(serviceSocket, path, (bytes) => applogs.add(bytes)),
    readDocker(dockerSocket, container.id, (bytes) => docker.add(bytes)),
  ])
  return table([
    ["", "lines", "p50 ms", "p99 ms", "most ms"],
    docker.row("docker logs -f -t"),
    applogs.row("applogs SSE"),
  ])
}

async function readDocker(
  socket: string,
  id: string,
  enough: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const command = ["docker", "-H", `unix://${socket}`, "logs", "-f", "-t", "--tail", "0", id]
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "inherit" })
  try {
    for await (const bytes of child.stdout) if (enough(bytes)) return
    throw new Error("docker logs -f has ended")
  } finally {
    child.kill()
    await child.exited
  }
}

/** How old each line was when it came, in milliseconds. */
class Ages {
  readonly #wanted: number
  readonly #ages: number[] = []
  #rest = ""

  constructor(wanted: number) {
    this.#wanted = wanted
  }

  /** Whether there are enough. */
  add(bytes: Uint8Array): boolean {
    const now = performance.timeOrigin + performance.now()
    const text = this.#rest + new TextDecoder("latin1").decode(bytes)
    const end = text.lastIndexOf("\n") + 1
    this.#rest = text.slice(end)
    for (const [, second, fraction] of text.slice(0, end).matchAll(STAMP)) {
      this.#ages.push(now - Date.parse(`${second}Z`) - Number(fraction) / 1_000_000)
    }
    return this.#ages.length >= this.#wanted
  }

  row(name: string): string[] {
    const figures = [0.5, 0.99, 1].map((at) => quantile(this.#ages, at).toFixed(2))
    return [name, whole(this.#ages.length), ...figures]
  }
}
