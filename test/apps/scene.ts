/** A directory on a scripted host, in time that passes when a test says so. */
import type { Change, Directory } from "../../src/apps/directory.ts"
import { startDirectory } from "../../src/apps/live.ts"
import { Failure } from "../../src/errors.ts"
import { ScriptedHost } from "./scripted-host.ts"
import { VirtualClock } from "./virtual-clock.ts"

export interface Scene {
  readonly clock: VirtualClock
  readonly host: ScriptedHost
  readonly directory: Directory
  readonly changes: Change[]
  readonly stop: () => void
  /** What listeners were told, in words. */
  readonly told: () => string[]
}

export function scene(prepare: (host: ScriptedHost) => void = () => {}, jitter = 1): Scene {
  const clock = new VirtualClock()
  const host = new ScriptedHost(clock)
  prepare(host)
  const controller = new AbortController()
  const directory = startDirectory(host, { signal: controller.signal, clock, random: () => jitter })
  const changes: Change[] = []
  directory.subscribe((change) => void changes.push(change))
  return {
    clock,
    host,
    directory,
    changes,
    stop: () => controller.abort(),
    told: () => changes.splice(0).map(inWords),
  }
}

function inWords(change: Change): string {
  if (change.type === "runtime") return change.up ? "up" : "down"
  const { member, hint, gone } = change
  const word = gone ? "gone" : member.container.state
  const code = hint?.exitCode === undefined ? "" : ` ${hint.exitCode}`
  return `${member.app}/${member.service} ${word}${hint ? ` (${hint.change}${code})` : ""}`
}

export async function failureOf(work: () => unknown): Promise<Failure> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error("expected a failure")
}

/** Nobody leaves. */
export const never = new AbortController().signal
