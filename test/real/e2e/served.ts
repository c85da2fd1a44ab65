/** What most end-to-end tests begin with: a private runtime, and applogs that serves its apps. */
import { afterAll, beforeAll } from "bun:test"
import type { PrivateRuntime } from "../runtime.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { describeReal, startRuntime } from "./runtime.ts"

export interface Served {
  readonly real: PrivateRuntime
  readonly applogs: Applogs
}

/** As `describeReal`. Both are started once for all of its tests, which get them from `served`, and ended behind the last. */
export function describeServed(title: string, tests: (served: () => Served) => void): void {
  describeReal(title, () => {
    const ends = new AsyncDisposableStack()
    let started: Served | undefined
    beforeAll(async () => {
      const real = ends.use(await startRuntime())
      started = { real, applogs: ends.use(await startApplogs(real)) }
    })
    afterAll(() => ends.disposeAsync())
    tests(() => {
      if (!started) throw new Error("nothing is started but for a test")
      return started
    })
  })
}
