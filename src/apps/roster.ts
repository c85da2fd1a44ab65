/** The containers of the newest list as apps, and what has changed from one list to the next. */
import type { Container, ContainerState, Hint } from "../runtime.ts"
import type { App, Member } from "./app.ts"
import type { Change } from "./directory.ts"
import { type Explanation, explain } from "./explain.ts"
import { identify } from "./identify.ts"

type MemberChange = Extract<Change, { type: "member" }>

export interface Update {
  /** In each container's own order; containers that are new come last. */
  readonly changes: readonly MemberChange[]
  /** Fresh hints that need not wait for another list. */
  readonly used: ReadonlySet<Hint>
}

export class Roster {
  /** Of every container, also of those that are left out. */
  #states: ReadonlyMap<string, ContainerState> = new Map()
  #members: ReadonlyMap<string, Member> = new Map()
  #apps: ReadonlyMap<string, App> = new Map()

  /** By id. */
  get apps(): readonly App[] {
    return [...this.#apps.values()]
  }

  app(id: string): App | undefined {
    return this.#apps.get(id)
  }

  /** Takes over a full list. `ripe` and `fresh` as `explain` understands them. */
  update(list: readonly Container[], ripe: readonly Hint[], fresh: readonly Hint[]): Update {
    const oldStates = this.#states
    const oldMembers = this.#members
    this.#states = new Map(list.map(({ id, state }) => [id, state]))
    this.#members = membersOf(list)
    this.#apps = appsOf(this.#members)

    const ripeOf = Map.groupBy(ripe, (hint) => hint.id)
    const freshOf = Map.groupBy(fresh, (hint) => hint.id)
    const used = new Set<Hint>()
    const changes: MemberChange[] = []
    for (const id of new Set([...oldStates.keys(), ...this.#states.keys(), ...freshOf.keys()])) {
      const before = oldMembers.get(id)
      const after = this.#members.get(id)
      // What comes into sight, or goes out of it, is born or gone for everybody here.
      const isSeen = before !== undefined || after !== undefined
      const from = isSeen ? before?.container.state : oldStates.get(id)
      const to = isSeen ? after?.container.state : this.#states.get(id)
      const told = explain(
        from ?? "gone",
        to ?? "gone",
        ripeOf.get(id) ?? [],
        freshOf.get(id) ?? [],
      )
      for (const hint of told.used) used.add(hint)
      changes.push(...changesOf(before, after, told))
    }
    return { changes, used }
  }
}

function changesOf(
  before: Member | undefined,
  after: Member | undefined,
  { steps, used }: Explanation,
): readonly MemberChange[] {
  const latest = after ?? before
  if (latest === undefined) return []
  const changes: MemberChange[] = []
  const renamed = used.find((hint) => hint.change === "renamed")
  const moved = before !== undefined && after !== undefined && before.app !== after.app
  if (moved) changes.push(change(before, true, renamed))
  let member = moved || before === undefined ? latest : before
  for (const { state, hint } of steps) {
    // A container that is gone keeps the state that it was last seen in.
    if (state !== "gone") member = { ...latest, container: { ...latest.container, state } }
    changes.push(change(member, state === "gone", hint))
  }
  const differs = moved || (before !== undefined && after !== undefined && !isSame(before, after))
  if (differs && steps.length === 0) changes.push(change(latest, false, renamed))
  const about = { ...(renamed && { renamedAt: renamed.at }), ...(moved && { moved }) }
  return changes.map((each) => ({ ...each, ...about }))
}

function change(member: Member, gone: boolean, hint: Hint | undefined): MemberChange {
  return { type: "member", member, gone, ...(hint && { hint }) }
}

/** Whether two members of one app have the same place and words; their states are not looked at. */
function isSame(a: Member, b: Member): boolean {
  if (a.service !== b.service || a.needs !== b.needs) return false
  return (
    a.container.name === b.container.name && isSameRecord(a.container.labels, b.container.labels)
  )
}

function isSameRecord(a: Readonly<Record<string, string>>, b: typeof a): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

function membersOf(list: readonly Container[]): Map<string, Member> {
  const members = new Map<string, Member>()
  for (const container of list) {
    const member = identify(container)
    if (member !== undefined) members.set(container.id, member)
  }
  return members
}

function appsOf(members: ReadonlyMap<string, Member>): Map<string, App> {
  const groups = [...Map.groupBy(members.values(), (member) => member.app)]
  groups.sort(([a], [b]) => compare(a, b))
  return new Map(groups.map(([id, group]) => [id, { id, members: group.toSorted(byPlace) }]))
}

function byPlace(a: Member, b: Member): number {
  return (
    compare(a.service, b.service) ||
    compare(a.container.createdAt, b.container.createdAt) ||
    compare(a.container.id, b.container.id)
  )
}

/** By code unit: the same everywhere, whatever the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
