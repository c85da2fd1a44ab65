/**
 * Runs the test suite: `make test`. Says which container runtimes were really exercised, and prints as
 * its last line `N passed, N failed, N skipped`, summed up over every run of `bun test`.
 *
 * With `--soak` it runs the long tests alone, at full length, and then the soak of `SOAK_MINUTES`. Otherwise
 * they run shortened. Anything else on the command line goes to `bun test`, which then runs once:
 * `bun test/run.ts test/real -t kill`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  couldInstall,
  REPORT_VARIABLE,
  whyNoBrowser,
  whyNoDocker,
  whyNoNerdctl,
  whyNoHaproxy,
  whyNoNginx,
  whyNoSystemd,
  whyNoPodman,
  whyNoPodmanJournal,
} from "./real/machine.ts"
import { sweep } from "./real/sandbox.ts"

interface Sum {
  passed: number
  failed: number
  skipped: number
}

const MINUTE = 60_000

/** Of what `bun test` says, so many characters are kept: its summary, and more than it says at once. */
const LONGEST_SAID = 20_000

/** What is said again of a test that failed: the lines just before its name. */
const REASON_LINES = 25

/** What one test may take, and one run of `bun test`, before it counts as failed. */
const BOUNDS = { testMs: 3 * MINUTE, allMs: 30 * MINUTE }

const END_TO_END = "test/real/e2e"

const JOURNAL_TESTS = ["content", "cuts", "hang", "joining", "recreate", "restarts", "together"]

/**
 * The runtimes that have real-runtime tests, and how the executable reads their logs in the end-to-end tests, each of
 * which is a run of its own. One line each.
 */
const RUNTIMES = [
  { name: "docker", whyNot: whyNoDocker, sources: ["auto", "api"] },
  { name: "podman", whyNot: whyNoPodman, sources: ["auto"] },
  // The same, and another place for its logs: what is read of it, and not what befalls log files.
  { name: "podman-journal", whyNot: whyNoPodmanJournal, sources: ["auto"], only: JOURNAL_TESTS },
  { name: "nerdctl", whyNot: whyNoNerdctl, sources: ["auto"] },
  // It runs no containers, but applogs.
  { name: "systemd", whyNot: whyNoSystemd, sources: [] },
  // Nor does it: it stands in front of applogs.
  { name: "nginx", whyNot: whyNoNginx, sources: [] },
  // In front of the engine.
  { name: "HAProxy", whyNot: whyNoHaproxy, sources: [] },
  // A page's own EventSource.
  { name: "browser", whyNot: whyNoBrowser, sources: [] },
] as const

const [option, ...rest] = Bun.argv.slice(2)
const soak = option === "--soak"
const inCi = process.env["CI"] === "true"

const scratch = mkdtempSync(join(tmpdir(), "applogs-test-"))
const report = join(scratch, "report")
writeFileSync(report, "")

const sum: Sum = { passed: 0, failed: 0, skipped: 0 }
/** Said once more at the end, as what comes between is long. */
const failures: string[] = []
if (soak) {
  const bounds = { testMs: 120 * MINUTE, allMs: 480 * MINUTE }
  await runEndToEnd(bounds, "full")
  await run(["test/real/proxy.test.ts"], bounds, { soak: "full" })
  await run(["test/real/soak"], bounds, { soak: "full" })
} else if (option !== undefined) await run([option, ...rest], BOUNDS)
else {
  // Tests that count timers have a process of their own: what others leave behind for a moment would count.
  const others = ["test/real/**", "test/conformance/real-*", "test/stream/**"]
  await run(
    others.map((pattern) => `--path-ignore-patterns=${pattern}`),
    BOUNDS,
  )
  await run(["test/stream"], BOUNDS)
  await run(["test/conformance/real-"], BOUNDS)
  await run(["test/real", "--path-ignore-patterns=test/real/e2e/**"], BOUNDS)
  await runEndToEnd(BOUNDS, "short")
}
await sweep()
if (option === undefined) reportRuntimes()
rmSync(scratch, { recursive: true })

for (const failure of failures) console.log(failure)
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)
process.exit(sum.failed === 0 ? 0 : 1)

async function runEndToEnd(bounds: typeof BOUNDS, length: "full" | "short"): Promise<void> {
  for (const runtime of RUNTIMES) {
    const { name, sources } = runtime
    const files =
      "only" in runtime ? runtime.only.map((file) => `${END_TO_END}/${file}.test.ts`) : [END_TO_END]
    for (const source of sources) {
      await run(files, bounds, { soak: length, runtime: name, source })
    }
  }
}

/** Runs `bun test` once, shows what it says, and adds its own summary to the sum. */
async function run(
  args: readonly string[],
  { testMs, allMs }: typeof BOUNDS,
  {
    soak: length = "short",
    runtime = process.env["APPLOGS_TEST_RUNTIME"] ?? "docker",
    source = process.env["APPLOGS_TEST_SOURCE"] ?? "auto",
  } = {},
): Promise<void> {
  const title = `bun test ${args.join(" ")}, ${runtime}, logs by ${source}`
  console.log(`\n# ${title}`)
  const child = Bun.spawn(
    [process.execPath, "test", "--no-orphans", `--timeout=${testMs}`, ...args],
    {
      stdout: "inherit",
      stderr: "pipe",
      timeout: allMs,
      env: {
        ...process.env,
        APPLOGS_SOAK: length,
        APPLOGS_TEST_RUNTIME: runtime,
        APPLOGS_TEST_SOURCE: source,
        [REPORT_VARIABLE]: report,
      },
    },
  )
  let said = ""
  let begun = ""
  let reason: string[] = []
  const failing = new Map<string, string[]>()
  const decoder = new TextDecoder()
  for await (const chunk of child.stderr) {
    process.stderr.write(chunk)
    const text = decoder.decode(chunk, { stream: true })
    said = (said + text).slice(-LONGEST_SAID)
    const lines = (begun + text).split("\n")
    begun = lines.pop() ?? ""
    for (const line of lines) {
      // At its end `bun test` names what failed once more.
      if (line.startsWith("(fail) ") && !failing.has(line)) failing.set(line, reason)
      reason = /^\((?:pass|fail|skip|todo)\) /.test(line)
        ? []
        : [...reason, line].slice(-REASON_LINES)
    }
  }
  for (const [line, why] of failing) failures.push([...why, `${line} (${title})`].join("\n"))
  const exitCode = await child.exited
  const count = (word: string) =>
    Number([...said.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0)
  const failed = count("fail")
  const finished = /^Ran \d+ tests? across \d+ files?\./m.test(said)
  sum.passed += count("pass")
  sum.skipped += count("skip") + count("todo")
  // A test that ends the process takes the summary with it, and may even leave exit code 0.
  sum.failed += failed > 0 ? failed : exitCode === 0 && finished ? 0 : 1
  if (!finished) console.log(`bun test ended without its summary (exit code ${exitCode})`)
}

/** Says for each runtime whether it was exercised. It is a failure if it was not, and could have been. */
function reportRuntimes(): void {
  const notes = readFileSync(report, "utf8").trim().split("\n").filter(Boolean)
  const started = notes.map((note) => JSON.parse(note) as { runtime: string; version: string })
  console.log("\nreal runtimes:")
  for (const { name, whyNot } of RUNTIMES) {
    const ours = started.filter(({ runtime }) => runtime === name)
    const reason = whyNot()
    if (ours.length > 0) {
      console.log(`  ${name} ${ours[0]?.version}: exercised, ${ours.length} started`)
    } else if (reason === undefined || (inCi && couldInstall())) {
      console.log(`  ${name}: NOT exercised, though this machine could: ${reason ?? "no test did"}`)
      sum.failed++
    } else {
      console.log(`  ${name}: not exercised: ${reason}`)
    }
  }
}
