/** What goes wrong during a long run, one after the other; each is over when this returns. */
import type { Applogs } from "../e2e/applogs.ts"
import type { Chance } from "../e2e/chance.ts"
import type { Shop } from "../e2e/shop.ts"
import type { PrivateRuntime } from "../runtime.ts"

interface Place {
  readonly real: PrivateRuntime
  readonly shop: Shop
  /** The one that is killed; another one lives through everything. */
  readonly mortal: Applogs
  readonly chance: Chance
  /** The longest that the engine hangs. */
  readonly hangMs: number
}

interface Fault {
  readonly name: string
  readonly happen: (place: Place) => Promise<void>
}

const FAULTS: readonly Fault[] = [
  {
    name: "applogs killed",
    async happen({ mortal }) {
      await mortal.end("SIGKILL")
      await mortal.start()
    },
  },
  {
    name: "container restarted",
    async happen({ real, shop, chance }) {
      await real.restartContainer(shop.id(chance.pick(["web", "worker", "db"])))
    },
  },
  {
    name: "engine killed",
    async happen({ real }) {
      await (real.kill ? real.kill() : real.stop())
      await real.start()
    },
  },
  {
    name: "engine hung",
    async happen({ real, chance, hangMs }) {
      real.freeze()
      try {
        // Its length is all that there is to a hang.
        await Bun.sleep(chance.spread(hangMs / 10, hangMs))
      } finally {
        real.thaw()
      }
    },
  },
  {
    name: "applogs ended",
    async happen({ mortal }) {
      const code = await mortal.end("SIGTERM")
      if (code !== 0) throw new Error(`applogs ended with ${code}`)
      await mortal.start()
    },
  },
]

/** Lets the next fault happen, each kind in its turn; its name. */
export async function nextFault(count: number, place: Place): Promise<string> {
  const { name, happen } = FAULTS[count % FAULTS.length] as Fault
  await happen(place)
  return name
}
