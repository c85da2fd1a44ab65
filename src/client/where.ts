/** Where the service is: at a local socket, or at an address, with a key. */
import { type Environment, type Given, type ReadFile, readGiven } from "../given.ts"
import { localSocketPaths } from "../sockets.ts"
import { quote, UsageError } from "../usage.ts"
import type { WhereName } from "./options.ts"

export interface Where {
  /** Ends with a slash. */
  readonly base: string
  /** To be tried in this order; none: `base` is an address of the network. */
  readonly sockets: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** What a Bearer header can carry (RFC 6750, b64token). */
const KEY = /^[A-Za-z0-9._~+/-]+=*$/

/** Throws a UsageError. */
export function findWhere(
  given: (name: WhereName) => Given | undefined,
  env: Environment,
  readFile: ReadFile,
): Where {
  const [url, socket] = [given("url"), given("localSocket")]
  const isFlag = (each?: Given) => each?.source.startsWith("--") === true
  if (isFlag(url) && isFlag(socket)) {
    throw new UsageError("--url", "either it or --local-socket is wanted")
  }
  if (url && !isFlag(socket)) {
    const key = readKey(given("apiKeyFile"), env, readFile)
    const headers: Record<string, string> =
      key === undefined ? {} : { Authorization: `Bearer ${key}` }
    return { base: parseUrl(url), sockets: [], headers }
  }
  if (socket?.text === "none") {
    throw new UsageError(socket.source, "without a socket, --url is wanted")
  }
  const sockets = socket ? [socket.text] : localSocketPaths(env)
  return { base: "http://localhost/", sockets, headers: {} }
}

function parseUrl({ source, text }: Given): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(source, `http://host:6020 is wanted, not ${quote(text)}`)
  }
  if (url.username !== "" || url.password !== "" || url.search !== "") {
    throw new UsageError(source, "a key does not belong into an address: --api-key-file takes it")
  }
  return `${url.origin}${url.pathname.replace(/\/*$/, "/")}`
}

/** A flag wins over the environment. What is wrong is told without the key. */
function readKey(
  file: Given | undefined,
  env: Environment,
  readFile: ReadFile,
): string | undefined {
  const inline = env["APPLOGS_API_KEY"]
  const source = file?.source ?? "APPLOGS_API_KEY"
  const text = file ? readGiven(file, readFile) : inline
  if (!text) return undefined
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.replace(/#.*/, "").trim())
  const key = lines.find((line) => line !== "")
  if (key === undefined || !KEY.test(key)) {
    throw new UsageError(
      source,
      "a key of letters, digits and -._~+/= on a line of its own is wanted",
    )
  }
  return key
}
