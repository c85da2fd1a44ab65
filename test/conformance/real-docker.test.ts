import { afterAll, beforeAll, describe } from "bun:test"
import { plugin } from "../../plugins/docker.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { type PrivateDocker, startDocker } from "../real/docker.ts"
import { whyNoDocker } from "../real/machine.ts"
import { RealHost } from "./real-host.ts"
import { testRuntime } from "./suite.ts"

describe.skipIf(whyNoDocker() !== undefined)("on this machine", () => {
  let docker: PrivateDocker
  beforeAll(async () => {
    docker = await startDocker()
  })
  afterAll(() => docker[Symbol.asyncDispose]())

  for (const source of ["api", "file"] as const) {
    testRuntime(`Docker, at a real Engine, by ${source}`, {
      make: async () => ({
        host: new RealHost(docker),
        runtime: plugin.create(runtimeOptions({ dockerSocket: docker.socket, logSource: source })),
      }),
      gaps: {
        "chosen timestamps": "a real engine stamps by the real clock",
        "characters across records":
          "json-file stores text, and a record that ends within a character loses it",
      },
    })
  }
})
