/**
 * Loaded into the applogs that is watched. Full collections come ten minutes apart, and up to ten megabytes wait for
 * them, which would hide whether anything stays: here all garbage is collected twice a minute.
 */
const EVERY_MS = 30_000

setInterval(() => Bun.gc(true), EVERY_MS).unref()
