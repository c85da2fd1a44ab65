/** What clients may ask for, in good faith and in bad: addresses of logs, as they go over the wire. */
import fc from "fast-check"
import { hostile } from "../http/hostile.ts"
import { get, readText } from "../real/e2e/wire.ts"

/** Of the one container that there is. */
export const ID = "0123456789abcdef".repeat(4)

const FOR_SHELLS = ["$(id)", "`id`", "; id", "| id", "&& id", "x\nid", "2>/dev/null", "'\"", "*"]

const FOR_PROGRAMS = ["-f", "--help", "--since=1", "--host=tcp://evil.test", "--", "-", "@file"]

const FOR_PATHS = [
  "..",
  ".",
  "../../info",
  "../images/json?x=",
  `${ID}/json?x=`,
  "web/archive?path=/etc/passwd#",
  "web\0",
  "web\r\nHost: evil\r\n\r\nPOST /containers/create HTTP/1.1",
]

const words = fc.oneof(
  fc.constantFrom(...FOR_SHELLS, ...FOR_PROGRAMS, ...FOR_PATHS, ID, ID.slice(0, 12), "0", "web/x"),
  hostile,
)

/** Once, as it ought to be, or twice, for whoever decodes twice. */
const encoded = fc
  .tuple(words, fc.boolean())
  .map(([word, again]) => (again ? encode(encode(word)) : encode(word)))

const raw = fc.constantFrom("%2e%2e", "%252e%252e", "..%2f..%2finfo", "%2e%2e%5c", "shop%2f..")

const GOOD: Readonly<Record<string, readonly string[]>> = {
  tail: ["0", "1", "7", "10000", "all"],
  since: ["1h", "2026-01-01T00:00:00Z", "1767225600.000000001", "2026-01-01T00:00:00%2B01:00"],
  until: ["0s", "2030-01-01T00:00:00Z"],
  service: ["web"],
  stream: ["stdout", "stderr"],
  grep: ["hello", "%24%28id%29"],
  includeNeeds: ["true", "postgres"],
  cursor: ["v1.dfct6ww35s00"],
  format: ["json", "ndjson", "text"],
}

const parameters = fc
  .constantFrom(...Object.keys(GOOD))
  .chain((name) =>
    fc
      .oneof({ weight: 3, arbitrary: fc.constantFrom(...(GOOD[name] ?? [])) }, encoded)
      .map((value) => `${name}=${value}`),
  )

const questions = fc
  .record({
    app: fc.oneof({ weight: 3, arbitrary: fc.constant("shop") }, encoded, raw),
    route: fc.constantFrom("", "/logs", "/logs", "/logs/stream"),
    query: fc.array(parameters, { maxLength: 3 }),
  })
  .map(({ app, route, query }) => `/api/apps/${app}${route}?${query.join("&")}`)

/** So many of them, always the same for a seed. */
export function askable(count: number, seed: number): readonly string[] {
  return fc.sample(questions, { numRuns: count, seed })
}

/** Asked at once: a stream may wait a second before it says anything. */
const CLIENTS = 32

/** What is answered over a local socket, path by path; of a stream, the head. */
export async function askAll(socket: string, paths: readonly string[]): Promise<Answered[]> {
  const answered: Answered[] = []
  const left = [...paths]
  const client = async () => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const answer = await get({ path: socket }, path)
      const isStream = answer.status === 200 && path.includes("/logs/stream")
      const body = isStream ? "" : await readText(answer)
      if (isStream) answer.cut()
      answered.push({ path, status: answer.status, text: [...answer.headers, body].join("\n") })
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return answered
}

interface Answered {
  readonly path: string
  readonly status: number
  /** With its headers. */
  readonly text: string
}

function encode(word: string): string {
  return encodeURIComponent(word.toWellFormed())
}
