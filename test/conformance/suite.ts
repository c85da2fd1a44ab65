/**
 * The conformance suite: everything that `src/runtime.ts` promises, as cases that any plugin can be run
 * through. A plugin's test file calls `testRuntime` with its runtime and a host that makes things happen.
 */
import { describe, test } from "bun:test"
import { contentCases } from "./cases/content.ts"
import { followCases } from "./cases/follow.ts"
import { lifecycleCases } from "./cases/lifecycle.ts"
import { listingCases } from "./cases/listing.ts"
import { stampCases } from "./cases/stamps.ts"
import { startCases } from "./cases/starts.ts"
import type { Case, Gaps, Subject } from "./host.ts"
import { until } from "./reader.ts"

export const CASES: readonly Case[] = [
  ...listingCases,
  ...startCases,
  ...followCases,
  ...contentCases,
  ...lifecycleCases,
  ...stampCases,
]

export interface RuntimeUnderTest {
  /** A runtime of its own for each case, over a host with no container. */
  readonly make: () => Promise<Subject>
  /** What the host or the runtime cannot do, with the reason. */
  readonly gaps?: Gaps
}

/** Many waits, each with a bound of its own, stand behind one case. */
const CASE_LIMIT_MS = 180_000

/** Registers a test for each case. One that needs what is a declared gap is skipped, and says why. */
export function testRuntime(name: string, { make, gaps = {} }: RuntimeUnderTest): void {
  describe(name, () => {
    for (const one of CASES) {
      const reasons = (one.needs ?? []).flatMap((need) => gaps[need] ?? [])
      const title = reasons.length > 0 ? `${one.name} [gap: ${reasons.join("; ")}]` : one.name
      test.skipIf(reasons.length > 0)(title, async () => runCase(one, await make()), CASE_LIMIT_MS)
    }
  })
}

/** Runs a case, and makes sure that it leaves nothing open. Disposes of the subject. */
export async function runCase(one: Case, subject: Subject): Promise<void> {
  const { host, runtime } = subject
  try {
    await one.run(subject)
    const inUse = () => `nothing to be in use; ${host.open()} requests are`
    await until(subject, () => host.open() === 0, inUse)
    await runtime[Symbol.asyncDispose]()
    // A runtime may begin with a request that was given up, and see only then that nobody waits for it.
    await until(subject, () => host.open() === 0, inUse)
  } finally {
    await runtime[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  }
}
