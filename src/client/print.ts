/** Lines as they are printed. */
import { disarm, disarmJson, disarmMessage } from "../disarm.ts"
import { choose, type Environment, type Given } from "../given.ts"
import type { LogLine } from "./objects.ts"
import { type LookName, TAIL_OPTIONS } from "./options.ts"

export interface Look {
  readonly output: (typeof TAIL_OPTIONS.output.values)[number]
  readonly times: boolean
  readonly isColored: boolean
  /** A terminal obeys what it is sent. */
  readonly isTerminal: boolean
}

/** Cyan, green, yellow, blue, magenta, and each of them bright; red is left to those who mean it. */
const COLORS = [36, 32, 33, 34, 35, 96, 92, 93, 94, 95]

const RESET = "\x1b[0m"

/** As a flag it is on; a variable says which. */
const SWITCH = { values: ["on", "off"], default: "off" } as const

/** Throws a UsageError. */
export function readLook(
  given: (name: LookName) => Given | undefined,
  env: Environment,
  isTerminal: boolean,
): Look {
  const color = choose(TAIL_OPTIONS.color, given("color"))
  return {
    output: choose(TAIL_OPTIONS.output, given("output")),
    times: choose(SWITCH, given("times")) === "on",
    isColored: color === "always" || (color === "auto" && welcomesColor(env, isTerminal)),
    isTerminal,
  }
}

export function welcomesColor(env: Environment, isTerminal: boolean): boolean {
  return isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb"
}

/** `services` are those that are known already, for the width of their column: it grows with others. */
export function createPrinter(
  look: Look,
  services: Iterable<string> = [],
): (line: LogLine) => string {
  const ansi = look.isColored ? "keep" : "strip"
  if (look.output === "json") {
    return (line) => {
      const json = toJson(line)
      return `${look.isTerminal ? disarmJson(json) : json}\n`
    }
  }
  if (look.output === "raw") {
    return ({ message }) => `${disarmMessage(message, look.isTerminal ? ansi : "raw")}\n`
  }
  const names = new Map<string, string>()
  let width = 0
  const nameOf = (service: string) => {
    const known = names.get(service)
    if (known !== undefined) return known
    const name = disarm(service)
    names.set(service, name)
    width = Math.max(width, name.length)
    return name
  }
  for (const service of services) nameOf(service)
  return ({ service, timestamp, message }) => {
    const name = nameOf(service)
    const column = paint(`${name.padEnd(width)} |`, name, look.isColored)
    const words = disarmMessage(message, ansi)
    // A message's colour ends with it.
    const end = words.includes("\x1b") ? `${RESET}\n` : "\n"
    return `${look.times ? `${timestamp} ` : ""}${column} ${words}${end}`
  }
}

/** By the name alone, so that it is the same tomorrow. */
function paint(text: string, name: string, isColored: boolean): string {
  const color = COLORS[Bun.hash.crc32(name) % COLORS.length]
  return isColored ? `\x1b[${color}m${text}${RESET}` : text
}

/** As the API says it without `verbose`. */
function toJson({ service, stream, timestamp, message, isNeeds, partial }: LogLine): string {
  const line = { service, stream, timestamp, message, isNeeds }
  return JSON.stringify(partial ? { ...line, partial } : line)
}
