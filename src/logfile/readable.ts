/** Whether a log file may be read, by this user. */
import { open } from "node:fs/promises"
import { FLAGS } from "./segment.ts"

/**
 * The error code of what keeps it from being read: a right that is not had, or that there is no such file. What else
 * may be wrong with it is told by who reads it. It is opened, as access(2) knows nothing of a service's capabilities.
 */
export async function obstacleOf(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, FLAGS)
    await file.close()
    return undefined
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    return ["EACCES", "EPERM", "ENOENT"].includes(code) ? code : undefined
  }
}
