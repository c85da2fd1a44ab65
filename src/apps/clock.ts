/** Time as the directory needs it: what waits can be tested without waiting. */

export interface Clock {
  /** Milliseconds from some start; never steps back. */
  now(): number
  /** Resolves after `ms`, or as soon as the signal is aborted. Holds no timer after that. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wait(ms, signal) {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener("abort", stop)
        resolve()
      }
      const timer = setTimeout(stop, ms)
      signal.addEventListener("abort", stop)
    })
  },
}

/**
 * Does some work that is given `ms`. Rejects with `late()` when they have passed, and with the signal's
 * reason when that is aborted, whether or not the work heeds the signal that it is handed.
 */
export async function within<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => unknown,
): Promise<T> {
  signal.throwIfAborted()
  const scope = new AbortController()
  const stop = () => scope.abort(signal.reason)
  signal.addEventListener("abort", stop)
  const cut = async () => {
    await clock.wait(ms, scope.signal)
    throw signal.aborted ? signal.reason : late()
  }
  try {
    return await Promise.race([work(scope.signal), cut()])
  } finally {
    signal.removeEventListener("abort", stop)
    scope.abort()
  }
}
