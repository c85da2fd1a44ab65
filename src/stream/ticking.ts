/**
 * What a source gives, and `undefined` whenever nothing has come of it for so many milliseconds: whoever waits for it
 * may have something else to say.
 */
export async function* ticking<Item>(
  source: AsyncGenerator<Item, void>,
  ms: number,
): AsyncGenerator<Item | undefined, void> {
  try {
    for (let next = source.next(); ;) {
      const result = await within(next, ms)
      if (result?.done) return
      yield result?.value
      if (result) next = source.next()
    }
  } finally {
    await source.return()
  }
}

async function within<Value>(work: Promise<Value>, ms: number): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, ms, undefined)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
