/** Whether a service answers at an address, who answers in its place, and the app to try a stream with. */
import type { LinkedAbort } from "../../abort.ts"
import { ask } from "../../client/ask.ts"
import { ClientFailure } from "../../client/ending.ts"
import type { Where } from "../../client/where.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"

const STRANGER =
  "start applogs behind it, and let it pass /api on, without a page or a password of its own"

interface App {
  readonly id: string
}

/** Returns the first app that the key may see. */
export async function* examineService(
  where: Where,
  connection: LinkedAbort,
  withinMs: number,
): AsyncGenerator<Finding, string | undefined> {
  try {
    const question = { path: "api/apps", type: "application/json", connection, withinMs }
    const response = await ask(where, question)
    const apps = appsIn(await response.json().catch(() => undefined))
    if (!apps) {
      yield fail("service", `${where.base} answers with something else than apps`, STRANGER)
      return undefined
    }
    yield ok("service", `${where.base} answers, and takes the key`)
    yield ok("proxy", nameProxy(response))
    const [app] = apps
    if (app) return app.id
    yield warn(
      "stream",
      "there is no app to try one with",
      "start one, or ask with a key that sees some",
    )
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    yield explain(error, where)
  }
  return undefined
}

/** `undefined`: that is no answer of applogs. */
function appsIn(answer: unknown): readonly App[] | undefined {
  const { apps } = (answer ?? {}) as { readonly apps?: unknown }
  const isList = Array.isArray(apps) && apps.every((app: App | null) => typeof app?.id === "string")
  return isList ? (apps as readonly App[]) : undefined
}

/** As it names itself: applogs does not. */
function nameProxy({ headers }: Response): string {
  const said = ["Server", "Via"].filter((name) => headers.has(name))
  if (said.length === 0) return "nobody in between says a name (Server, Via)"
  return said.map((name) => `${name}: ${headers.get(name)}`).join(", ")
}

function explain({ message, code, exit }: ClientFailure, { headers }: Where): Finding {
  if (code === "unauthenticated" && headers["Authorization"] !== undefined) {
    const found = "the service got none, though it was sent: what is in between takes it out"
    return fail("key", found, "let the proxy pass the header Authorization on")
  }
  if (exit === 4) return fail("key", message)
  return fail("service", message, exit === 1 && code === "" ? STRANGER : "")
}
