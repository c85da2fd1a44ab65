/**
 * What happened to a container between two lists, told from what the lists say and from the hints that
 * came. The lists decide; hints tell how it came about: in which steps, when, with what exit code.
 *
 * A list may be older than a hint that came before it was begun: the Docker Engine says that a container
 * has exited a moment before its lists do. So a hint waits for the list that shows what it says.
 */
import type { ContainerState, Hint } from "../runtime.ts"

/** A container's state in a list; `gone` when it is not in it. */
export type Listed = ContainerState | "gone"

export interface Step {
  readonly state: Listed
  readonly hint?: Hint
}

export interface Explanation {
  /** Ends in the state that the newer list says; empty when nothing happened. */
  readonly steps: readonly Step[]
  /** Hints that have been told, or that said nothing new. */
  readonly used: readonly Hint[]
}

/**
 * `ripe` hints have waited for long enough, and are told now; of the `fresh` ones only as many as it takes
 * to get to what the list shows: later ones may be ahead of it, and the next list might fall behind them.
 */
export function explain(
  before: Listed,
  after: Listed,
  ripe: readonly Hint[],
  fresh: readonly Hint[],
): Explanation {
  // An id never comes back: what is still listed after so long is not removed, whatever the hint says.
  const due = ripe.filter((hint) => hint.change !== "removed" || after === "gone")
  const hints = [...due, ...fresh]
  const states = [before]
  for (const hint of hints) states.push(follow(states.at(-1) ?? before, hint))
  const end = findEnd(states, due.length, after)

  const steps: Step[] = []
  for (const [index, hint] of hints.slice(0, end).entries()) {
    const state = states[index + 1] ?? after
    // It is killed next, which is a hint of its own.
    const isOom = hint.change === "oom" && state !== "gone"
    if (state !== states[index] || isOom) steps.push({ state, hint })
  }
  if (states[end] !== after) steps.push({ state: after })
  return { steps, used: [...ripe, ...fresh.slice(0, end - due.length)] }
}

/** How many hints have come true in the list, at least `from`: the first so many that lead to its state. */
function findEnd(states: readonly Listed[], from: number, after: Listed): number {
  // What is gone stays gone.
  let end = after === "gone" ? states.lastIndexOf(after) : states.indexOf(after, from)
  if (end < from) end = states.findIndex((state, index) => index >= from && leadsTo(state, after))
  if (end < 0) return from
  while (end + 1 < states.length && states[end + 1] === states[end]) end += 1
  return end
}

/** The state behind a hint; the same when the hint says nothing that is not known already. */
function follow(state: Listed, hint: Hint): Listed {
  switch (hint.change) {
    case "created":
      return state === "gone" ? "created" : state
    case "started":
      return state === "paused" ? state : "running"
    case "exited":
      return state === "dead" ? state : "exited"
    case "removed":
      return "gone"
    case "oom":
    case "renamed":
      return state
  }
}

/** Whether a list may show a container like that where the hints ended like this: some states have none. */
function leadsTo(hinted: Listed, listed: Listed): boolean {
  if (hinted === "running") return listed === "paused"
  return hinted === "exited" && (listed === "restarting" || listed === "dead" || listed === "gone")
}
