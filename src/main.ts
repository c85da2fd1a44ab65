/** argv → command → exit code: the only place that touches the process around it. */
import { readFileSync, writeSync } from "node:fs"
import { isatty } from "node:tty"
import { run } from "./commands/run.ts"
import { describe } from "./logfmt.ts"
import { writeAll } from "./write-all.ts"

const stop = new AbortController()
const isInTerminal = isatty(0)

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    // Whoever asks twice does not want to wait.
    if (stop.signal.aborted) process.exit(1)
    stop.abort(name)
  })
}

// A promise that nobody waits for, as a plugin may leave behind, is no reason to end everybody's streams.
process.on("unhandledRejection", (reason) => {
  write(
    2,
    `applogs: a promise was rejected that nobody waits for: ${describe(reason).replaceAll(/\s+/g, " ")}\n`,
  )
})

// Not with a top-level await, which does not compile to bytecode.
void run(process.argv.slice(2), {
  env: process.env,
  readFile: (path) => readFileSync(path, "utf8"),
  print: (text) => write(1, text),
  complain: (text) => write(2, text),
  output: (text) => writeAll(1, text),
  isTerminal: isatty(1),
  signal: stop.signal,
  onReload: (listener) =>
    void process.on("SIGHUP", () => (hasHungUp() ? stop.abort() : listener())),
}).then((code) => process.exit(code))

/** A terminal that goes away sends the same signal as who wants a reload; what was started in it does not outlive it. */
function hasHungUp(): boolean {
  return isInTerminal && !isatty(0)
}

/** At once, so that nothing is lost at the exit; to nobody, if nobody reads any more. */
function write(descriptor: number, text: string): void {
  try {
    writeSync(descriptor, text)
  } catch {
    // There is nowhere left to say it.
  }
}
