/** What inspections say of containers and no change of state alters: asked once a container, not once a list. */

/** So many inspections at once: a host may have hundreds of containers when applogs starts. */
const AT_ONCE = 16

export class Inspections<Inspection> {
  readonly #inspect: (id: string, signal: AbortSignal) => Promise<Inspection | undefined>
  /** Whether a later inspection would say nothing else. */
  readonly #isComplete: (inspection: Inspection) => boolean
  #known = new Map<string, Inspection>()

  constructor(
    inspect: (id: string, signal: AbortSignal) => Promise<Inspection | undefined>,
    isComplete: (inspection: Inspection) => boolean = () => true,
  ) {
    this.#inspect = inspect
    this.#isComplete = isComplete
  }

  get(id: string): Inspection | undefined {
    return this.#known.get(id)
  }

  /** Inspects those of `started` that are not known, and forgets all that are not among them. */
  async update(started: readonly string[], signal: AbortSignal): Promise<void> {
    const known = new Map<string, Inspection>()
    const next = started.values()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const id of next) {
          const inspection = await this.#ask(id, signal)
          if (inspection) known.set(id, inspection)
        }
      }),
    )
    this.#known = known
  }

  async #ask(id: string, signal: AbortSignal): Promise<Inspection | undefined> {
    const before = this.#known.get(id)
    if (before && this.#isComplete(before)) return before
    // Nothing: it was removed since it was listed.
    return (await this.#inspect(id, signal)) ?? before
  }
}
