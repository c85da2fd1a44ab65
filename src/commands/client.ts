/** The commands that ask a service: what is asked, and how they end. */
import { apps, readApps } from "../client/apps.ts"
import { endWell } from "../client/ending.ts"
import { logs, readLogs } from "../client/logs.ts"
import { readTail, tail } from "../client/tail.ts"
import type { Surroundings } from "./surroundings.ts"

export function runTail(argv: readonly string[], around: Surroundings): Promise<number> {
  const asked = readTail(argv, around.env, around.readFile, around.isTerminal)
  return endWell(around, () => tail(asked, around))
}

export function runLogs(argv: readonly string[], around: Surroundings): Promise<number> {
  const asked = readLogs(argv, around.env, around.readFile, around.isTerminal)
  return endWell(around, () => logs(asked, around))
}

export function runApps(argv: readonly string[], around: Surroundings): Promise<number> {
  const asked = readApps(argv, around.env, around.readFile)
  return endWell(around, () => apps(asked, around))
}
