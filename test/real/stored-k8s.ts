/**
 * What Podman really stored of a container's output, read from its k8s-file log, as `stored.ts` reads
 * json-file logs. Deliberately naive, and nothing of applogs is in it.
 */
import { readFileSync } from "node:fs"
import type { StoredLine } from "./stored.ts"

/** Bytes are held as latin1: a part may end within a character. */
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
export function readK8sLines(path: string, { tty }: { tty: boolean }): StoredLine[] {
  const lines: StoredLine[] = []
  const open = new Map<StoredLine["stream"], OpenLine>()
  const end = ({ stream, timestamp, bytes }: OpenLine) => {
    lines.push({ stream, timestamp, message: Buffer.from(bytes, "latin1").toString("utf8") })
  }
  for (const record of readRecords(path)) {
    const [, time = "", stream, ending, part = ""] = RECORD.exec(record) ?? []
    if (stream !== "stdout" && stream !== "stderr") throw new Error(`no k8s-file record: ${record}`)
    const line = open.get(stream) ?? { stream, timestamp: utc(time), bytes: "" }
    line.bytes += part
    if (ending === "F") {
      open.delete(stream)
      end({ ...line, bytes: tty ? line.bytes.replace(/\r$/, "") : line.bytes })
    } else open.set(stream, line)
  }
  for (const line of open.values()) end(line)
  return lines
}

/** How many line ends the log holds. */
export function countK8sEnds(path: string): number {
  return readRecords(path).filter((record) => RECORD.exec(record)?.[3] === "F").length
}

const RECORD = /^(\S+) (\S+) ([PF]) (.*)$/s

function readRecords(path: string): string[] {
  // A record without its line end is being written at this moment.
  return readFileSync(path, "latin1").split("\n").slice(0, -1)
}

/** Podman writes nine digits and the machine's offset from UTC. */
function utc(time: string): string {
  const fraction = /\.\d{9}/.exec(time)?.[0]
  if (fraction === undefined) throw new Error(`not a time with nine digits: ${time}`)
  return new Date(time.replace(fraction, "")).toISOString().replace(".000Z", `${fraction}Z`)
}
