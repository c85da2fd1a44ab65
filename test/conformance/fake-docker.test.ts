import { fakeDockerSubject } from "./fake-docker.ts"
import type { Gaps } from "./host.ts"
import { testRuntime } from "./suite.ts"

const CHARACTERS = "json-file stores text, and a record that ends within a character loses it"

const EACH = "before Engine 24, since is asked of every record"

const gaps: Gaps = { "characters across records": CHARACTERS }

testRuntime("Docker, at a fake Engine 20.10 whose followers miss what is logged last", {
  make: () =>
    fakeDockerSubject({ api: "1.41" }, ({ faults }) => {
      faults.missedAtEnd = 2
    }),
  gaps: { ...gaps, "times over clock steps": EACH },
})

testRuntime("Docker, at a fake Engine 24 that sends no headers before the first byte", {
  make: () => fakeDockerSubject({ api: "1.43" }),
  gaps,
})

testRuntime("Docker, at a fake Engine newer than the plugin that no longer knows older clients", {
  make: () => fakeDockerSubject({ api: "1.60", minApi: "1.54" }),
  gaps,
})

testRuntime("Docker, at a fake Engine whose frames are cut at every byte", {
  make: () =>
    fakeDockerSubject({ api: "1.47" }, ({ faults }) => {
      // A chunk a byte of the largest bodies would take minutes.
      faults.cutEvery(1, 10_000)
    }),
  gaps,
})

testRuntime("Docker, at a fake Engine whose bodies come in chunks of megabytes", {
  make: () =>
    fakeDockerSubject({ api: "1.47" }, ({ faults }) => {
      faults.chunking = "whole"
    }),
  gaps,
})
