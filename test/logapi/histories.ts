/** How many histories are played, and from which seed: `HISTORIES=1000 SEED=1 bun test …`. */
export const HISTORIES = Number(Bun.env["HISTORIES"] ?? 100_000)
export const SEED = Number(Bun.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))
