/**
 * Lets a runtime write undisturbed for a moment. Engines write a log record by record into their socket, each wakes who
 * waits there, and so each costs both of them a change of processes: after a nap, hundreds are read at once. That
 * saves an eighth of the time of a whole log (`make bench`).
 */

/** The socket holds some 300 records, and an engine needs 1 ms for them: it must not have to wait. */
const NAP_MS = 0.3

const NEVER = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

let next: Promise<void> | undefined

/** Stops this thread, as timers are too coarse for that: once a turn of the event loop, however many want it. */
export function nap(): Promise<void> {
  return (next ??= new Promise((resolve) => {
    setImmediate(() => {
      next = undefined
      Atomics.wait(NEVER, 0, 0, NAP_MS)
      resolve()
    })
  }))
}
