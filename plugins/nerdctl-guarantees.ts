/** How far the logs of nerdctl's containers can be trusted: every guarantee that one may have. */
import type { DeclaredGuarantee } from "../src/runtime.ts"

export const GUARANTEES = {
  file: {
    logs: "`json-file`, or of Kubernetes, where its file can be read",
    level: "exact",
    source: "file",
    reason: "",
  },
  orphaned: {
    logs: "`json-file`, while nobody stores them",
    level: "best-effort",
    source: "file",
    reason: "nothing stores its output: its logger has ended before it",
  },
  api: {
    logs: "`json-file`, or of Kubernetes, otherwise",
    level: "best-effort",
    source: "api",
    reason: "`nerdctl logs` prints no order between the streams, and no rotated files",
  },
  noFile: {
    logs: "no file, with `--log-source file`",
    level: "unreadable",
    source: "none",
    reason: "it has no log file that can be read",
  },
  elsewhere: {
    logs: "`json-file` with `log-path`",
    level: "unreadable",
    source: "none",
    reason: "its log file was put elsewhere (log-path)",
  },
  none: {
    logs: "`none`",
    level: "unreadable",
    source: "none",
    reason: "the logging driver keeps no logs (none)",
  },
  otherDriver: {
    logs: "any other driver",
    level: "unreadable",
    source: "none",
    reason: "nerdctl does not tell lines and times of this logging driver",
  },
  foreign: {
    logs: "of a container that neither nerdctl nor Kubernetes started",
    level: "unreadable",
    source: "none",
    reason: "whoever started it did not let nerdctl store its output",
  },
} as const satisfies Readonly<Record<string, DeclaredGuarantee>>
