/** The app and the service that an address names. What was asked for is never repeated in a refusal. */
import type { App } from "../apps/app.ts"
import { Failure } from "../errors.ts"
import type { View } from "./view.ts"

const NAMED_LIMIT = 50

/**
 * Names are only compared with what there is. One that is not known is looked for once more, as it may
 * have been started a moment ago: so it is, too, for one that the key may not see. Throws `app_not_found`, `service_not_found`, `runtime_unavailable`.
 */
export async function findApp(
  view: View,
  id: string,
  service: string | undefined,
  signal: AbortSignal,
): Promise<App> {
  let app = view.app(id)
  if (app === undefined || !hasService(app, service)) {
    await view.refresh(signal)
    app = view.app(id)
  }
  if (app === undefined) {
    throw new Failure(
      "app_not_found",
      "no container says that it is of this app: see GET /api/apps",
    )
  }
  if (!hasService(app, service)) {
    const known = [...new Set(app.members.map((member) => member.service))].slice(0, NAMED_LIMIT)
    throw new Failure("service_not_found", "ask for one of the services that are allowed", {
      parameter: "service",
      allowed: known,
    })
  }
  return app
}

function hasService(app: App, service: string | undefined): boolean {
  return service === undefined || app.members.some((member) => member.service === service)
}
