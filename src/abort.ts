/**
 * An abort that follows others until it is disposed of. `AbortSignal.any` would do, but in Bun 1.4 what it
 * returns lives as long as the longest-lived signal that it follows: a leak for each request.
 */
export class LinkedAbort implements Disposable {
  readonly #controller = new AbortController()
  readonly #followed: readonly AbortSignal[]

  constructor(...followed: readonly AbortSignal[]) {
    this.#followed = followed
    for (const signal of followed) signal.addEventListener("abort", this.abort)
    if (followed.some(({ aborted }) => aborted)) this.abort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  readonly abort = (): void => {
    this[Symbol.dispose]()
    this.#controller.abort()
  };

  /** Follows nobody any more. Does not abort. */
  [Symbol.dispose](): void {
    for (const signal of this.#followed) signal.removeEventListener("abort", this.abort)
  }
}
