/** Which logs there are: `<root>/<app>/<service>.log`, each with the files that were rotated away from it. */
import { createHash } from "node:crypto"
import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"

/** Where an app's log is, below the root. */
export interface LogName {
  readonly app: string
  readonly service: string
}

export interface FoundLog extends LogName {
  readonly id: string
  /** The file that is written to is there: somebody may be writing. */
  readonly isRunning: boolean
  /** Paths, the newest first. */
  readonly files: readonly string[]
}

/** Whoever may write below the root chooses names. What nobody could type, or is hidden, is no name. */
const NAME = /^(?!\.)[^/\ufffd\p{C}\p{Zl}\p{Zp}]{1,200}$/u

/** The number is that of a rotated file. */
const FILE = /^(.+)\.log(?:\.([1-9]\d{0,5})(?:\.gz)?)?$/

export function isLogName({ app, service }: LogName): boolean {
  return NAME.test(app) && NAME.test(service)
}

export function idOf({ app, service }: LogName): string {
  return createHash("sha256").update(`${app}/${service}`).digest("hex")
}

export function pathOf(root: string, { app, service }: LogName): string {
  return join(root, app, `${service}.log`)
}

/** Directories with the name of an app. Links are none: they may lead anywhere. Throws when there is no root. */
export async function findApps(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
    .map(({ name }) => name)
}

export async function findLogs(root: string, app: string): Promise<readonly FoundLog[]> {
  const ages = new Map<string, Map<number, string>>()
  for (const entry of await entriesOf(join(root, app))) {
    const [, service = "", number = "0"] = FILE.exec(entry.name) ?? []
    if (!entry.isFile() || !NAME.test(service)) continue
    const files = ages.get(service) ?? new Map<number, string>()
    ages.set(service, files.set(Number(number), join(root, app, entry.name)))
  }
  return [...ages].map(([service, files]) => ({
    app,
    service,
    id: idOf({ app, service }),
    isRunning: files.has(0),
    files: [...files].toSorted(([a], [b]) => a - b).map(([, path]) => path),
  }))
}

/** What cannot be listed is empty: it is gone, or one app's own trouble. */
function entriesOf(directory: string): Promise<Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch(() => [])
}
