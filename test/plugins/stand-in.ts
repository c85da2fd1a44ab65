/** A program that stands in for nerdctl: a shell script in a directory of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export class StandIn implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "applogs-stand-in-"))
  readonly path = join(this.directory, "nerdctl")

  /** What it does by its first argument that is no flag; in `$here` is its directory. */
  constructor(verbs: Readonly<Record<string, string>>, { version = "nerdctl version 2.3.5" } = {}) {
    const cases = Object.entries({ info: "echo default", ...verbs }).map(
      ([verb, body]) => `${verb}) ${body} ;;`,
    )
    this.write(`here='${this.directory}'
      for word in "$@"; do
        case $word in
          --version) echo '${version}'; exit 0 ;;
          -*) ;;
          ${cases.join("\n")}
        esac
        case $word in -*) ;; *) exit 0 ;; esac
      done`)
  }

  write(script: string, mode = 0o755): void {
    rmSync(this.path, { force: true })
    writeFileSync(this.path, `#!/bin/sh\n${script}\n`, { mode })
  }

  file(name: string): string {
    return readFileSync(join(this.directory, name), "utf8")
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true })
  }
}
