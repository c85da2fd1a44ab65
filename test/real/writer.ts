/**
 * Commands for containers that write numbered lines. The image has only busybox, and its awk is fast
 * enough: one container writes 20,000 lines/s, and what is due leaves it every 20 ms.
 */

export interface WriterOptions {
  /** First word of each line. A restarted container numbers from 1 again, so its run is added: `web.2`. */
  readonly name: string
  /** Lines a second, both streams together. */
  readonly rate: number
  /** Stops after so many lines; without it, writes for ever. */
  readonly lines?: number
  /** Length of the filler at each line's end; default 20. */
  readonly padding?: number
  readonly streams?: readonly ("stdout" | "stderr")[]
}

/** A line of the writer: `<name>.<run> <stream> <number, 10 digits, from 1 in each stream> <filler>`. */
export const WRITTEN_LINE = /^(\S+\.\d+) (stdout|stderr) (\d{10}) (x*)$/

// Lines are due by the uptime, not by counting sleeps, so that the rate holds under load. Each line is
// one write(2): the streams stay interleaved, and a kill does not tear a line.
const AWK = `
function uptime(  line, part) {
  getline line < "/proc/uptime"; close("/proc/uptime"); split(line, part, " "); return part[1]
}
BEGIN {
  ways = split(streams, stream, ","); filler = sprintf("%" padding "s", ""); gsub(/ /, "x", filler)
  for (start = uptime(); ; system("usleep 20000")) {
    due = (uptime() - start + 0.02) * rate; if (lines && due > lines) due = lines
    for (; written < due; written++) {
      way = stream[written % ways + 1]
      printf "%s %s %010d %s\\n", name, way, int(written / ways) + 1, filler > ("/dev/" way)
      fflush("/dev/" way)
    }
    if (lines && written >= lines) exit
  }
}`

/** The command of a container that writes numbered lines; it ends at once when asked to stop. */
export function writer(options: WriterOptions): string[] {
  const values = {
    rate: options.rate,
    lines: options.lines ?? 0,
    padding: options.padding ?? 20,
    streams: (options.streams ?? ["stdout", "stderr"]).join(","),
  }
  const flags = Object.entries(values).map(([name, value]) => `-v ${name}=${value}`)
  return [
    "/bin/sh",
    "-c",
    // The first process of a container ignores SIGTERM unless it traps it.
    `run=$(($(cat /run-number 2>/dev/null) + 1)); echo $run >/run-number
     trap 'kill -9 $!; exit 0' TERM
     awk -v name="$1.$run" ${flags.join(" ")} "$2" & wait $!`,
    "writer",
    options.name,
    AWK,
  ]
}

/** The command of a container that prints a text once, exactly as it is, and ends. */
export function print(text: string, stream: "stdout" | "stderr" = "stdout"): string[] {
  return ["/bin/sh", "-c", `printf %s "$1" >&${stream === "stdout" ? 1 : 2}`, "print", text]
}

/** As `print`, and then waits to be stopped: what a container writes just before it ends, nerdctl may drop. */
export function printAndWait(text: string): string[] {
  const script = `trap 'exit 0' TERM; printf %s "$1"; sleep 100000 & wait`
  return ["/bin/sh", "-c", script, "print", text]
}
