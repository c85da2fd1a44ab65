/** One app and very many clients: what `make bench` says of that. Each section has an engine of its own. */
import type { LogSource } from "../../src/runtime.ts"
import { type PrivateDocker, startDocker } from "../real/docker.ts"
import { whole } from "./figures.ts"
import { measureIdle } from "./idle-clients.ts"
import { measureLiveClients } from "./live-clients.ts"
import { describeMachine } from "./machine.ts"
import { daemonOf, mostOpenFiles } from "./process.ts"
import { measureStopped } from "./stopped-client.ts"

/** Lines a second that all live clients get. */
const RATE = 500

/** Files that a process needs beside a connection for each client. */
const SPARE_FILES = 1_000

const SOURCES: readonly LogSource[] = ["file", "api"]

export interface FanOutOptions {
  /** How many clients, of a container that writes next to nothing and of one that writes all the time. */
  readonly idle: number
  readonly crowd: number
  /** How long that container writes. */
  readonly seconds: number
  /** For how many seconds one client stands still. */
  readonly stopped: number
}

export async function reportIdle({ idle }: FanOutOptions): Promise<void> {
  const most = mostOpenFiles()
  const clients = Math.min(idle, most - SPARE_FILES)
  const limit = `a process may have ${whole(most)} files open`
  await report(`${whole(clients)} clients of an app that writes nothing (${limit}):`, (docker) =>
    measureIdle(docker, SOURCES, clients),
  )
}

export async function reportCrowd({ crowd: clients, seconds }: FanOutOptions): Promise<void> {
  const title = `${whole(clients)} clients of an app that writes ${RATE} lines/s, for ${seconds} s:`
  await report(title, (docker) => {
    const daemon = daemonOf(docker)
    return measureLiveClients({ docker, daemon, sources: SOURCES, clients, rate: RATE, seconds })
  })
}

export async function reportStopped({ stopped }: FanOutOptions): Promise<void> {
  await report(`one client of four reads nothing for ${stopped} s:`, (docker) =>
    measureStopped(docker, SOURCES, stopped),
  )
}

async function report(
  title: string,
  measure: (docker: PrivateDocker) => Promise<string>,
): Promise<void> {
  await using docker = await startDocker()
  console.log(`\n${await describeMachine(docker)}\n\n${title}`)
  console.log(await measure(docker))
}
