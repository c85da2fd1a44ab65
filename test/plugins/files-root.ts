/** A directory of log files, with the plugin that reads it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { plugin } from "../../plugins/files.ts"
import type { Batch, Container, Line, Runtime, Start } from "../../src/runtime.ts"
import { runtimeOptions } from "../runtime-options.ts"

export class FilesRoot implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), "applogs-files-"))
  readonly runtime: Runtime = plugin.create(runtimeOptions({ filesRoot: this.path }))

  write(name: string, content: string | Uint8Array): string {
    const path = join(this.path, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }

  /** By name: `<app>-<service>`. */
  async container(name: string): Promise<Container> {
    const found = (await this.list()).find((container) => container.name === name)
    if (!found) throw new Error(`no container ${name} is listed`)
    return found
  }

  list(): Promise<readonly Container[]> {
    return this.runtime.list(new AbortController().signal)
  }

  async batches(name: string | Container, start: Start = { from: "beginning" }): Promise<Batch[]> {
    const container = typeof name === "string" ? await this.container(name) : name
    const options = { follow: false, signal: new AbortController().signal }
    return Array.fromAsync(this.runtime.read(container, start, options))
  }

  async lines(name: string | Container, start?: Start): Promise<Line[]> {
    return (await this.batches(name, start)).flatMap(({ lines }) => lines)
  }

  async messages(name: string | Container, start?: Start): Promise<string[]> {
    return (await this.lines(name, start)).map(({ message }) => message)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runtime[Symbol.asyncDispose]()
    rmSync(this.path, { recursive: true })
  }
}
