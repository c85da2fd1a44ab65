/**
 * Lets a runtime write undisturbed for a moment. Engines write a log record by record into their socket, each wakes who
 * waits there, and so each costs both of them a change of processes: after a nap, hundreds are read at once. That
 * saves a tenth of the time that a whole log takes (`make bench`).
 */

/** The socket holds some 300 records, and an engine must not have to wait for room: it needs 0.8 ms for them. */
const NAP_MS = 0.3

const NEVER = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

let next: Promise<void> | undefined

/**
 * Stops this thread, as timers are too coarse: once a turn of the event loop, however many want it. Resolves when what
 * was written meanwhile has been read.
 */
export function nap(): Promise<void> {
  return (next ??= new Promise((resolve) => {
    setImmediate(() => {
      next = undefined
      Atomics.wait(NEVER, 0, 0, NAP_MS)
      setImmediate(resolve)
    })
  }))
}
