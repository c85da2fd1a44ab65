/**
 * What a request may see: the one place that says so. Every route has the directory through here, and none has it
 * otherwise; an app that the request's key may not see is looked for as any other, and is not there.
 */
import type { App } from "../apps/app.ts"
import type { Directory } from "../apps/directory.ts"
import type { Key } from "./keys.ts"

export class View {
  readonly #directory: Directory
  readonly #key: Key | undefined

  /** Without a key, where none is asked for, every app is seen. */
  constructor(directory: Directory, key: Key | undefined) {
    this.#directory = directory
    this.#key = key
  }

  /** Whether the runtime answers now. */
  get up(): boolean {
    return this.#directory.up
  }

  /** Whether there may be apps that it does not show. */
  get isScoped(): boolean {
    return this.#key?.isScoped ?? false
  }

  /** Whether an app of this name, if there is one, would be seen. */
  sees(id: string): boolean {
    return this.#key?.sees(id) ?? true
  }

  /** Throws `runtime_unavailable` while there is no complete list yet. */
  apps(): readonly App[] {
    return this.#directory.apps().filter(({ id }) => this.sees(id))
  }

  app(id: string): App | undefined {
    const [app, isSeen] = [this.#directory.app(id), this.sees(id)]
    return isSeen ? app : undefined
  }

  /** Makes sure that what exists now is known. Throws `runtime_unavailable`. */
  refresh(signal: AbortSignal): Promise<void> {
    return this.#directory.refresh(signal)
  }

  /** Calls back when the app must be seen no longer, until the returned function is called. */
  onHidden(id: string, listener: () => void): () => void {
    const check = () => {
      if (!this.sees(id)) listener()
    }
    return this.#key?.onChange(check) ?? (() => {})
  }
}
