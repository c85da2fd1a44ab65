import { plugin } from "../../plugins/files.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { FilesHost, type WrittenAs } from "./files-host.ts"
import type { Gaps, Subject } from "./host.ts"
import { testRuntime } from "./suite.ts"

const NO_ENGINE = "there is no engine, only files"

const GAPS: Gaps = {
  labels: "an app's and a service's names are all there is",
  tty: NO_ENGINE,
  "created containers": NO_ENGINE,
  "exit codes": NO_ENGINE,
  "unreadable logs": "to root, who may run this, every file is readable",
  outage: NO_ENGINE,
}

const PLAIN: Gaps = {
  "two streams": "a plain file is one stream",
  "chosen timestamps": "plain lines do not say their times",
}

async function make(writtenAs: WrittenAs): Promise<Subject> {
  const host = new FilesHost(writtenAs)
  return { host, runtime: plugin.create(runtimeOptions({ filesRoot: host.root })) }
}

testRuntime("files of plain lines", { make: () => make("plain"), gaps: { ...GAPS, ...PLAIN } })

testRuntime("files as CRI writes them", { make: () => make("cri"), gaps: GAPS })

testRuntime("files as Docker writes them", {
  make: () => make("json-file"),
  gaps: {
    ...GAPS,
    "characters across records":
      "json-file stores text, and a record that ends within a character loses it",
  },
})
