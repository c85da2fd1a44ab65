/**
 * The position behind what was printed, kept over the end of the process, also a sudden one.
 *
 * It is written after lines were handed over, never before. So nothing is lost; and who is killed between the two
 * prints again, when it is started once more, what had come last: at most what came at once. Asked to end (SIGTERM,
 * SIGINT), it writes first.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { type Given, readIfThere } from "../given.ts"
import { firstLine, UsageError } from "../usage.ts"
import { ClientFailure } from "./ending.ts"

/** What can be sent as a header. */
const CURSOR = /^[\x21-\x7E]+$/

export interface Place {
  /** Empty: none yet. */
  readonly cursor: string
  move(cursor: string): void
}

/** In memory alone, unless a file was given. Throws a UsageError for a file that holds something else. */
export function openPlace(file: Given | undefined): Place {
  let cursor = file ? readCursor(file) : ""
  return {
    get cursor() {
      return cursor
    },
    move(next) {
      if (next === cursor) return
      if (file) writeCursor(file, next)
      cursor = next
    },
  }
}

function readCursor(file: Given): string {
  const text = readIfThere(file, (path) => readFileSync(path, "utf8"))?.trim() ?? ""
  if (text === "" || CURSOR.test(text)) return text
  throw new UsageError(file.source, "the file holds something else than a cursor")
}

/** Whole or not at all: whoever reads it finds the old one or the new one. */
function writeCursor({ source, text: path }: Given, cursor: string): void {
  const fresh = `${path}.new`
  try {
    // Left behind by one that was killed; or a link that somebody else has put there.
    rmSync(fresh, { force: true })
    writeFileSync(fresh, `${cursor}\n`, { flag: "wx", mode: 0o600 })
    renameSync(fresh, path)
  } catch (error) {
    throw new ClientFailure(1, `${source}: it cannot be written: ${firstLine(error)}`)
  }
}
