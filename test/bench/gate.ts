/** Containers that wait with writing until they are told to, so that a crowd is there before the first line. */
import type { PrivateDocker } from "../real/docker.ts"
import { writer } from "../real/writer.ts"

const STEP = "usleep 20000"

/** Starts a container that writes so many numbered lines, so many a second, from its first `signal` on. */
export async function startGatedWriter(
  docker: PrivateDocker,
  name: string,
  { rate, lines }: { readonly rate: number; readonly lines: number },
): Promise<string> {
  const program = `trap open=1 USR1; until [ "$open" ]; do ${STEP}; done; exec "$@"`
  const command = writer({ name, rate, lines, streams: ["stdout"] })
  return docker.run({ name, command: ["/bin/sh", "-c", program, "gate", ...command] })
}

/** Starts a container that writes one numbered line for each `signal`. */
export async function startTeller(docker: PrivateDocker, name: string): Promise<string> {
  const program = `number=0
    trap 'number=$((number + 1)); printf "%s.1 stdout %010d x\\n" "$1" $number' USR1
    while :; do ${STEP}; done`
  return docker.run({ name, command: ["/bin/sh", "-c", program, "teller", name] })
}

export async function signal(docker: PrivateDocker, id: string): Promise<void> {
  await docker.killContainer(id, "SIGUSR1")
}
