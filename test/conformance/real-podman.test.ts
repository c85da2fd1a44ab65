import { afterAll, beforeAll, describe } from "bun:test"
import { plugin } from "../../plugins/podman.ts"
import { whyNoPodman, whyNoPodmanJournal } from "../real/machine.ts"
import { type PrivatePodman, startPodman } from "../real/podman.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { RealHost } from "./real-host.ts"
import { testRuntime } from "./suite.ts"

const GAPS = { "chosen timestamps": "a real engine stamps by the real clock" }

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
        ...GAPS,
        ...(source === "api" && {
          "unfinished lines over restarts":
            "k8s-file does not tell runs apart, and the API's times, to the second, are too coarse to",
        }),
      },
    })
  }
})

describe.skipIf(whyNoPodmanJournal() !== undefined)("with a journal of its own", () => {
  let podman: PrivatePodman
  beforeAll(async () => {
    podman = await startPodman({ journal: true })
  })
  afterAll(() => podman[Symbol.asyncDispose]())

  testRuntime("Podman, the real one, by its journal", {
    make: async () => ({
      host: new RealHost(podman),
      runtime: plugin.create(runtimeOptions({ podmanSocket: podman.socket, env: podman.env })),
    }),
    gaps: { ...GAPS, rotation: "the journal forgets by its own size, and not a container's lines" },
  })
})
