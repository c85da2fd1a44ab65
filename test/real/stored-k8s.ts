/**
 * What Podman really stored of a container's output, read from its k8s-file log, as `stored.ts` reads
 * json-file logs. Deliberately naive, and nothing of applogs is in it.
 */
import { readFileSync } from "node:fs"
import type { StoredLine } from "./stored.ts"

/** A record as it stands there. Bytes are held as latin1: a part may end within a character. */
export interface StoredK8s {
  /** RFC 3339, UTC. */
  readonly time: string
  readonly stream: StoredLine["stream"]
  /** Whether it ends its line. */
  readonly flag: "F" | "P"
  readonly part: string
}

interface OpenLine {
  readonly stream: StoredLine["stream"]
  readonly timestamp: string
  bytes: string
}

/**
 * All lines that the log file at `path` holds, each where its end stands: before, it is none. Podman stores
 * what it gets from one read, so that any line may come in parts (`P`), each with a time of its own, up to
 * the one that ends it (`F`). A line that its process left unfinished counts as a line, but goes on with
 * the first one of the container's next run: nothing in the file tells them apart. A terminal (`tty`)
 * ends its lines with CR LF.
 */
export function readK8sLines(path: string, how: { tty: boolean }): StoredLine[] {
  return linesOf(readRecords(path), how)
}

export function linesOf(records: readonly StoredK8s[], { tty }: { tty: boolean }): StoredLine[] {
  const lines: StoredLine[] = []
  const open = new Map<StoredLine["stream"], OpenLine>()
  const end = ({ stream, timestamp, bytes }: OpenLine) => {
    lines.push({ stream, timestamp, message: Buffer.from(bytes, "latin1").toString("utf8") })
  }
  for (const { time, stream, flag, part } of records) {
    const line = open.get(stream) ?? { stream, timestamp: time, bytes: "" }
    line.bytes += part
    if (flag === "F") {
      open.delete(stream)
      end({ ...line, bytes: tty ? line.bytes.replace(/\r$/, "") : line.bytes })
    } else open.set(stream, line)
  }
  for (const line of open.values()) end(line)
  return lines
}

/** How many line ends the log holds. */
export function countK8sEnds(path: string): number {
  return readRecords(path).filter(({ flag }) => flag === "F").length
}

const RECORD = /^(\S+) (\S+) ([PF]) (.*)$/s

function readRecords(path: string): StoredK8s[] {
  // A record without its line end is being written at this moment.
  const written = readFileSync(path, "latin1").split("\n").slice(0, -1)
  return written.map((record) => {
    const [, time = "", stream, flag, part = ""] = RECORD.exec(record) ?? []
    if (stream !== "stdout" && stream !== "stderr") throw new Error(`no k8s-file record: ${record}`)
    return { time: utc(time), stream, flag: flag === "F" ? "F" : "P", part }
  })
}

/** Podman writes nine digits and the machine's offset from UTC. */
function utc(time: string): string {
  const fraction = /\.\d{9}/.exec(time)?.[0]
  if (fraction === undefined) throw new Error(`not a time with nine digits: ${time}`)
  return new Date(time.replace(fraction, "")).toISOString().replace(".000Z", `${fraction}Z`)
}
