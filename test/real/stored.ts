/**
 * What an engine really stored of a container's output, read from its json-file logs: the truth that
 * everything applogs hands out is held against. Deliberately naive, and nothing of applogs is in it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"

export interface StoredLine {
  readonly stream: "stdout" | "stderr"
  /** RFC 3339, UTC, nine digits: of the line's first part. */
  readonly timestamp: string
  /** Without its line end. */
  readonly message: string
}

interface StoredRecord {
  readonly log: string
  readonly stream: "stdout" | "stderr"
  readonly time: string
}

/**
 * All lines that the log file at `path` and its rotated ones (`.1` newer than `.2`) hold, oldest first,
 * each where it ends: the other stream's lines may stand between its parts. Lines over 16 KiB, which are
 * stored as several records with one time, are joined; a line that its process left unfinished counts as
 * a line. A terminal (`tty`) ends its lines with CR LF, anything else with LF alone. nerdctl gives each
 * part of a line a time of its own.
 */
export function readStoredLines(
  path: string,
  { tty, partsShareTime = true }: { tty: boolean; partsShareTime?: boolean },
): StoredLine[] {
  const lines: StoredLine[] = []
  const open = new Map<StoredLine["stream"], StoredLine>()
  for (const { log, stream, time } of allRecords(path)) {
    const timestamp = nineDigits(time)
    let line = open.get(stream)
    if (line && partsShareTime && line.timestamp !== timestamp) {
      lines.push(line)
      line = undefined
    }
    line = { stream, timestamp, ...line, message: (line?.message ?? "") + log }
    open.delete(stream)
    if (log.endsWith("\n")) lines.push(line)
    else open.set(stream, line)
  }
  const end = tty ? /\r?\n$/ : /\n$/
  return [...lines, ...open.values()].map((line) => {
    return { ...line, message: line.message.replace(end, "") }
  })
}

/** The log file and its rotated ones, oldest first. */
export function logFiles(path: string): string[] {
  const name = basename(path)
  const age = (file: string) => Number(/\.(\d+)(?:\.gz)?$/.exec(file.slice(name.length))?.[1] ?? 0)
  return readdirSync(dirname(path))
    .filter((file) => file === name || (file.startsWith(`${name}.`) && age(file) > 0))
    .toSorted((a, b) => age(b) - age(a))
    .map((file) => join(dirname(path), file))
}

/** Of each of them. While they are looked at one may get another name, or be thrown away. */
function eachFile<T>(path: string, read: (file: string) => T): T[] {
  for (let tries = 0; ; tries++) {
    try {
      return logFiles(path).map(read)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries === 100) throw error
    }
  }
}

/** How many line ends the log holds. */
export function countEnds(path: string): number {
  const log = eachFile(path, (file) => readFileSync(file, "latin1"))
  return log.join("").split('\\n","stream"').length - 1
}

function readRecords(file: string): StoredRecord[] {
  const bytes = readFileSync(file)
  const text = (file.endsWith(".gz") ? Buffer.from(Bun.gunzipSync(bytes)) : bytes).toString("utf8")
  // A record without its line end is being written at this moment.
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((record) => record !== "")
    .map((record) => JSON.parse(record) as StoredRecord)
}

/** In the order of time: nerdctl numbers rotated files upwards, and from 1 again after a restart. */
function allRecords(path: string): StoredRecord[] {
  const files = eachFile(path, readRecords)
  const first = (records: StoredRecord[]) => (records[0] ? nineDigits(records[0].time) : "~")
  return files.toSorted((a, b) => (first(a) < first(b) ? -1 : 1)).flat()
}

/** The engine drops trailing zeros of the fraction. */
function nineDigits(time: string): string {
  const [whole = "", fraction = ""] = time.replace("Z", "").split(".")
  return `${whole}.${fraction.padEnd(9, "0")}Z`
}
