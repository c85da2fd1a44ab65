import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Member } from "../../src/apps/app.ts"
import type { Change } from "../../src/apps/directory.ts"
import { identify } from "../../src/apps/identify.ts"
import { startDirectory, TIMING } from "../../src/apps/live.ts"
import type { Hint } from "../../src/runtime.ts"
import { type Fate, ScriptedHost } from "./scripted-host.ts"
import { settle, VirtualClock } from "./virtual-clock.ts"

const n = fc.integer({ min: 0, max: 5 })
const app = fc.constantFrom("shop", "blog", "needs-redis")
const fate = fc.constantFrom<Fate[]>("told", "told", "lost", "doubled")

const deed = fc.oneof(
  fc.record({ do: fc.constant("add" as const), n, app, started: fc.boolean(), fate }),
  fc.record({ do: fc.constant("add" as const), n, app, started: fc.boolean(), fate }),
  fc.record({ do: fc.constant("start" as const), n, fate }),
  fc.record({ do: fc.constant("exit" as const), n, fate }),
  fc.record({ do: fc.constant("oom" as const), n, fate }),
  fc.record({ do: fc.constant("rename" as const), n, app, fate }),
  fc.record({ do: fc.constant("remove" as const), n, fate }),
  fc.record({ do: fc.constant("phantom" as const), n, fate }),
)
const weather = fc.oneof(
  fc.record({ do: fc.constant("time" as const), ms: fc.integer({ min: 0, max: 60 }) }),
  fc.record({ do: fc.constant("lag" as const), ms: fc.integer({ min: 0, max: 300 }) }),
  fc.record({ do: fc.constant("slow" as const), ms: fc.integer({ min: 0, max: 40 }) }),
  fc.record({ do: fc.constant("show" as const), what: fc.constantFrom("begin", "end") }),
)
const disaster = fc.oneof(
  fc.record({ do: fc.constant("pause" as const), n }),
  fc.record({ do: fc.constant("cut" as const) }),
  fc.record({ do: fc.constant("down" as const), down: fc.boolean() }),
)

type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never
type Deed = Generated<typeof deed>
type Step = Deed | Generated<typeof weather> | Generated<typeof disaster>

/** Long ones, which fast-check would leave out by itself. */
function historyOf(...steps: fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> {
  return fc.array(fc.oneof(...steps), { maxLength: 80, size: "max" })
}

/** `between` is awaited after every step. */
async function play(
  { host, clock }: Scene,
  history: readonly Step[],
  between: () => Promise<void>,
): Promise<void> {
  for (const step of history) {
    await between()
    if (step.do === "time") await clock.advance(step.ms)
    else if (step.do === "lag") host.lagMs = step.ms
    else if (step.do === "slow") host.listMs = step.ms
    else if (step.do === "show") host.listShows = step.what === "begin" ? "begin" : "end"
    else if (step.do === "cut") host.endWatches()
    else if (step.do === "down") host.down = step.down
    else if (step.do === "add") {
      // Under a number of its own: an id never comes back.
      const number = host.born
      host.add(number, { labels: { "applogs.app": step.app }, state: "created" }, step.fate)
      await between()
      if (step.started) host.set(number, "running", step.fate)
    } else if (step.do === "phantom") host.tell(1_000 + step.n, "exited", step.fate)
    else touch(host, step)
  }
}

/** Does what can be done to the n-th of the containers that are there. */
function touch(
  host: ScriptedHost,
  step: Exclude<Deed, { do: "add" | "phantom" }> | { do: "pause"; n: number; fate?: undefined },
): void {
  const ids = [...host.containers.keys()]
  const container = host.containers.get(ids[step.n % ids.length] ?? "")
  if (container === undefined) return
  const number = Number.parseInt(container.id, 16)
  const alive = container.state === "running" || container.state === "paused"
  if (step.do === "remove") host.remove(number, step.fate)
  else if (step.do === "oom") host.tell(number, "oom", step.fate)
  else if (step.do === "start" && !alive) host.set(number, "running", step.fate)
  else if (step.do === "exit" && alive) host.set(number, "exited", step.fate, 1)
  else if (step.do === "pause" && alive) host.set(number, "paused")
  else if (step.do === "rename") {
    // Without labels its name is its app.
    host.put({ ...container, labels: {} })
    host.rename(number, step.app, step.fate)
  }
}

class Scene implements AsyncDisposable {
  readonly clock = new VirtualClock()
  readonly host = new ScriptedHost(this.clock)
  readonly #controller = new AbortController()
  readonly directory = startDirectory(this.host, {
    signal: this.#controller.signal,
    clock: this.clock,
    random: () => 0,
  })

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort()
    await this.clock.advance(0)
    expect(this.clock.pending).toBe(0)
    expect(this.host.watching).toBe(0)
  }
}

/** A listener that believes all it is told, and notes what cannot be. */
class Believer {
  readonly members = new Map<string, Member>()
  readonly wrong: string[] = []
  #up = false

  readonly hear = (change: Change): void => {
    if (change.type === "runtime") {
      this.#note(change.up !== this.#up, `twice ${change.up}`)
      this.#up = change.up
      return
    }
    const { member, gone, hint } = change
    const { id } = member.container
    const known = this.members.get(id)
    this.#note(this.#up, `${id}: told while the runtime is down`)
    this.#note(!gone || known !== undefined, `${id}: gone, but was never there`)
    this.#note(known === undefined || known.app === member.app, `${id}: in two apps`)
    const same = known !== undefined && Bun.deepEquals(known, member)
    this.#note(gone || !same || hint?.change === "oom", `${id}: nothing new`)
    if (gone) this.members.delete(id)
    else this.members.set(id, member)
  }

  #note(right: boolean, what: string): void {
    if (!right) this.wrong.push(what)
  }
}

function stepsOf(hints: readonly Hint[], id: string): Hint[] {
  return hints.filter((hint) => hint.id === id && hint.change !== "renamed")
}

function sorted(members: Iterable<Member>): Member[] {
  return [...members].toSorted((a, b) => (a.container.id < b.container.id ? -1 : 1))
}

describe("a directory, whatever happens on the host", () => {
  test("equals the list after the next one, and tells every listener a consistent story", async () => {
    const property = fc.asyncProperty(historyOf(deed, deed, weather, disaster), async (history) => {
      await using scene = new Scene()
      const { clock, host, directory } = scene
      const believer = new Believer()
      directory.subscribe(believer.hear)
      await play(scene, history, async () => {})
      host.down = false
      await clock.advance(TIMING.retryMaxMs + TIMING.reconcileMs + 200)

      expect(believer.wrong).toEqual([])
      const listed = sorted([...host.containers.values()].flatMap((it) => identify(it) ?? []))
      expect(sorted(directory.apps().flatMap((each) => each.members))).toEqual(listed)
      expect(sorted(believer.members.values())).toEqual(listed)
      expect(host.mostListsAtOnce).toBeLessThanOrEqual(1)
    })
    await fc.assert(property, { numRuns: 300 })
  })

  test("tells every step of every container once and in order when no hint is lost", async () => {
    const property = fc.asyncProperty(historyOf(deed, deed, weather), async (history) => {
      await using scene = new Scene()
      const { clock, host, directory } = scene
      await clock.advance(0)
      const heard: Hint[] = []
      directory.subscribe((change) => {
        if (change.type === "member" && change.hint) heard.push(change.hint)
      })
      const lossless = history.map((step) =>
        "fate" in step && step.fate === "lost" ? { ...step, fate: "told" as const } : step,
      )
      // A hint that comes later than the list that shows it has nothing left to tell.
      await play(scene, lossless, settle)
      await clock.advance(TIMING.ripeMs * 2)

      // A container that came and went between two lists was never there for anybody.
      const known = new Set(heard.map((hint) => hint.id))
      for (const id of host.containers.keys()) expect(known).toContain(id)
      for (const id of known) expect(stepsOf(heard, id)).toEqual(stepsOf(host.told, id))
    })
    await fc.assert(property, { numRuns: 300 })
  })
})
