import { whyNoNerdctl } from "../real/machine.ts"
import { afterAll, beforeAll, describe } from "bun:test"
import { plugin } from "../../plugins/nerdctl.ts"
import { type PrivateNerdctl, startNerdctl } from "../real/nerdctl.ts"
import { PATH } from "../real/output.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { RealHost } from "./real-host.ts"
import { testRuntime } from "./suite.ts"

describe.skipIf(whyNoNerdctl() !== undefined)("on this machine", () => {
  let nerdctl: PrivateNerdctl
  beforeAll(async () => {
    nerdctl = await startNerdctl()
  })
  afterAll(() => nerdctl[Symbol.asyncDispose]())

  for (const source of ["file", "api"] as const) {
    testRuntime(`nerdctl, at a real containerd, by ${source}`, {
      make: async () => ({
        host: new RealHost(nerdctl),
        runtime: plugin.create(
          runtimeOptions({
            nerdctl: nerdctl.flags["--nerdctl"],
            containerdAddress: nerdctl.flags["--containerd-address"],
            containerdNamespace: nerdctl.namespace,
            logSource: source,
            env: { PATH },
          }),
        ),
      }),
      gaps: {
        "chosen timestamps": "a real logger stamps by the real clock",
        "characters across records":
          "json-file stores text, and a record that ends within a character loses it",
      },
    })
  }
})
