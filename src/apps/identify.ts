/**
 * Which app and service a container is: labels first, then what its runtime says, then its own name.
 *
 * Labels and names are written by whoever starts a container, so they are hostile data. One that no
 * person could read or type is passed over, and the next source is asked. App and service are looked for
 * apart: a label that names only the app leaves the service to the others.
 */
import type { Container } from "../runtime.ts"
import type { Member } from "./app.ts"

/** Characters in the name of an app, a service or a kind. */
export const NAME_LIMIT = 200

const NEEDS = "needs-"

/** The container's place; `undefined` when it asks to be left out. */
export function identify(container: Container): Member | undefined {
  const { labels, name, pod, id } = container
  if (isYes(labels["applogs.ignore"])) return undefined

  const stack = labels["com.docker.stack.namespace"]
  const swarmService = labels["com.docker.swarm.service.name"]
  const app = firstName(
    labels["applogs.app"],
    labels["com.docker.compose.project"],
    labels["io.podman.compose.project"],
    stack,
    swarmService,
    pod,
    name,
    id,
  )
  const service = firstName(
    labels["applogs.service"],
    labels["com.docker.compose.service"],
    labels["io.podman.compose.service"],
    withoutPrefix(swarmService, stack, "_"),
    withoutPrefix(name, pod, "-"),
    name,
    id,
  )

  const declared = kindOf(labels["applogs.needs"])
  if (declared !== undefined) {
    return { container, app, service: NEEDS + declared, needs: declared }
  }
  const named = service.startsWith(NEEDS) ? kindOf(service.slice(NEEDS.length)) : undefined
  return { container, app, service, ...(named !== undefined && { needs: named }) }
}

/** The kind of a needs service; its service's name has to be a name too. */
function kindOf(text: string | undefined): string | undefined {
  return text !== undefined && isName(text) && isName(NEEDS + text) ? text : undefined
}

/** The first that is a name; the last one stands for want of any. */
function firstName(...candidates: [...(string | undefined)[], string]): string {
  const found = candidates.find((candidate) => candidate !== undefined && isName(candidate))
  return found ?? (candidates.at(-1) as string)
}

/**
 * Printable, not blank, and of a sane length. `.` and `..` are no names: every URL parser takes them,
 * and their percent-encoded forms, for steps in a path, so that no client could ask for them.
 */
function isName(text: string): boolean {
  return /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(text) && /\S/.test(text) && !/^\.\.?$/.test(text)
}

/** The owner's name before a name says nothing new inside the owner. */
function withoutPrefix(
  text: string | undefined,
  owner: string | undefined,
  separator: string,
): string | undefined {
  if (text === undefined || owner === undefined) return text
  const prefix = owner + separator
  return text.startsWith(prefix) ? text.slice(prefix.length) : text
}

function isYes(value: string | undefined): boolean {
  return value !== undefined && /^(?:true|1|yes|on)$/i.test(value)
}
