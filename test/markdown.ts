/** Parts of the project's own Markdown that say what the code says: tests compare the two. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** What stands between `<!-- name -->` and `<!-- /name -->` in a file of the repository. */
export function marked(file: string, name: string): string {
  const text = readFileSync(join(import.meta.dir, "..", file), "utf8")
  const [, before] = text.split(`<!-- ${name} -->\n`)
  const [inside, behind] = before?.split(`<!-- /${name} -->`) ?? []
  if (inside === undefined || behind === undefined) throw new Error(`${file} marks no ${name}`)
  return inside
}

/** A table's lines without what a formatter may do to them: padding, and the length of its rule. */
export function cells(table: string): string[] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.replaceAll(/ *\| */g, "|").replaceAll(/-{3,}/g, "---"))
    .filter((line) => line !== "")
}
