/** `GET /api/apps` and `GET /api/apps/{app}`: what there is to read. */
import type { App, Member } from "../apps/app.ts"
import type { AppAnswer } from "./schemas.ts"

export function describeApp(app: App): AppAnswer {
  const services = Map.groupBy(app.members, (member) => member.service)
  return {
    id: app.id,
    services: [...services].map(([name, members]) => ({
      name,
      needs: members.find((member) => member.needs !== undefined)?.needs ?? null,
      containers: members.map(describeContainer),
    })),
  }
}

function describeContainer({
  container,
}: Member): AppAnswer["services"][number]["containers"][number] {
  const { id, name, state, createdAt, guarantee } = container
  const { level, source, reason } = guarantee
  return { id, name, state, createdAt, guarantee: { level, source, reason } }
}
