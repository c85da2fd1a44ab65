/** How every router of the house is set up. */

/**
 * Elysia takes for granted that a host's name has four characters, and with a shorter one (`Host: x`)
 * reads the path from the wrong place.
 */
export const ROUTER = { handler: { standardHostname: false } }
