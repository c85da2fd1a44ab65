/** The numbers of all lines that an engine has stored, read as text, file by file: hours of them fit into no memory. */
import { createReadStream, statSync } from "node:fs"
import { createInterface } from "node:readline"
import { SequenceChecker } from "../sequence.ts"
import { logFiles } from "../stored.ts"

/** A line of the writer, in whatever format it is stored. */
const WRITTEN = /([\w-]+\.\d+) (stdout|stderr) (\d{10}) x/

/** Of logs, by the paths of their newest files. */
export async function storedNumbers(paths: readonly string[]): Promise<SequenceChecker> {
  const checker = new SequenceChecker()
  for (const path of paths) {
    // Engines number rotated files this way and that; what was written last has the highest time.
    const written = (file: string) => statSync(file).mtimeMs
    for (const file of logFiles(path).toSorted((a, b) => written(a) - written(b))) {
      for await (const text of createInterface({ input: createReadStream(file) })) {
        const match = WRITTEN.exec(text)
        if (match) checker.add(match[1] as string, match[2] as string, Number(match[3]))
      }
    }
  }
  return checker
}
