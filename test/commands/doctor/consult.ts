/** `applogs doctor` in this process, on a host where nothing is but what a test puts there. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { run } from "../../../src/commands/run.ts"
import type { Surroundings } from "../../../src/commands/surroundings.ts"

export interface Advice {
  readonly code: number
  /** Without what is the same each time: see `plain`. */
  readonly lines: readonly string[]
  readonly err: string
}

export class Host implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "applogs-doctor-"))
  readonly socket = join(this.folder, "socket")
  readonly root = join(this.folder, "logs")

  /** Lines as an engine stores them. */
  log(service: string, ...lines: string[]): void {
    this.write(`logs/shop/${service}.log`, lines.map((line) => `${line}\n`).join(""))
  }

  write(name: string, text: string, mode = 0o600): string {
    const path = join(this.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
    return path
  }

  /** The words of the command line stand before those that keep it in this folder. A flag that is given wins. */
  async consult(
    words: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    more: Partial<Surroundings> = {},
  ): Promise<Advice> {
    const usual: Record<string, string> = {
      APPLOGS_RUNTIME: "files",
      APPLOGS_FILES_ROOT: this.root,
      APPLOGS_DOCKER_SOCKET: "/nowhere/docker.sock",
      APPLOGS_PODMAN_SOCKET: "/nowhere/podman.sock",
      APPLOGS_NERDCTL: "/nowhere/nerdctl",
      APPLOGS_LISTEN: "127.0.0.1:0",
      APPLOGS_LOCAL_SOCKET: this.socket,
    }
    let [out, err] = ["", ""]
    const code = await run(["doctor", ...words], {
      env: { ...usual, ...env },
      readFile: (path) => readFileSync(path, "utf8"),
      print: (text) => void (out += text),
      complain: (text) => void (err += text),
      output: async (text) => void (out += text),
      isTerminal: false,
      signal: new AbortController().signal,
      onReload: () => {},
      ...more,
    })
    const plain = out.replaceAll(this.folder, "HERE").trimEnd()
    return { code, lines: plain === "" ? [] : plain.split("\n"), err }
  }

  /** What it says of one thing. */
  async about(
    what: string,
    words: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> {
    const { lines } = await this.consult(words, env)
    return lines.filter((line) => line.slice(6).startsWith(what))
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }
}
