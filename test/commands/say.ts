/** The command line, as it is asked and what it says, in this process. */
import { run } from "../../src/commands/run.ts"

export async function say(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = ""
  let err = ""
  const code = await run(argv, {
    env: {},
    readFile: () => "",
    print: (text) => void (out += text),
    complain: (text) => void (err += text),
    output: async (text) => void (out += text),
    isTerminal: false,
    signal: AbortSignal.abort(),
    onReload: () => {},
  })
  return { code, out, err }
}
