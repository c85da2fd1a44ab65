import { afterAll, beforeAll, describe } from "bun:test"
import { plugin } from "../../plugins/podman.ts"
import { whyNoPodman } from "../real/machine.ts"
import { type PrivatePodman, startPodman } from "../real/podman.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { RealHost } from "./real-host.ts"
import { testRuntime } from "./suite.ts"

describe.skipIf(whyNoPodman() !== undefined)("on this machine", () => {
  let podman: PrivatePodman
  beforeAll(async () => {
    podman = await startPodman()
  })
  afterAll(() => podman[Symbol.asyncDispose]())

  for (const source of ["api", "file"] as const) {
    testRuntime(`Podman, the real one, by ${source}`, {
      make: async () => ({
        host: new RealHost(podman),
        runtime: plugin.create(runtimeOptions({ podmanSocket: podman.socket, logSource: source })),
      }),
      gaps: {
        "chosen timestamps": "a real engine stamps by the real clock",
        ...(source === "api" && {
          "unfinished lines over restarts":
            "k8s-file does not tell runs apart, and the API's times, to the second, are too coarse to",
        }),
      },
    })
  }
})
