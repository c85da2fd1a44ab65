/** What `make build` writes into the executable. */
declare const APPLOGS_VERSION: string | undefined

export const VERSION: string = typeof APPLOGS_VERSION === "string" ? APPLOGS_VERSION : "unbuilt"
