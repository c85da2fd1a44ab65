/** The options of a runtime in tests: nothing of it is anywhere but where a test says. */
import type { RuntimeOptions } from "../src/runtime.ts"

export function runtimeOptions(given: Partial<RuntimeOptions> = {}): RuntimeOptions {
  return {
    logSource: "auto",
    maxLineBytes: 1_048_576,
    dockerSocket: "/nowhere",
    podmanSocket: "/nowhere",
    nerdctl: "/nowhere",
    containerdAddress: undefined,
    containerdNamespace: undefined,
    filesRoot: undefined,
    env: {},
    ...given,
  }
}
