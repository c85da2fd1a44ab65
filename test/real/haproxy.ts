/**
 * A private HAProxy before an engine's socket, with rules like those of the images that people put there: GET and a
 * list of paths, and nothing that is silent for long.
 */
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { exercised } from "./machine.ts"
import { output, PATH } from "./output.ts"
import { closeSandbox, openSandbox, type Sandbox, until } from "./sandbox.ts"

export interface HaproxyOptions {
  /** The engine's. */
  readonly socket: string
  /** What may be asked, behind the API's version. */
  readonly paths: readonly string[]
  /** A connection without a byte is cut after so long. */
  readonly idleSeconds: number
  /** Whether the stream of events is, too. */
  readonly cutsEvents: boolean
}

export class PrivateHaproxy implements AsyncDisposable {
  readonly #sandbox: Sandbox
  #child: Bun.Subprocess | undefined

  private constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  static async start(options: HaproxyOptions): Promise<PrivateHaproxy> {
    const proxy = new PrivateHaproxy(await openSandbox())
    const settings = join(proxy.#sandbox.path, "haproxy.cfg")
    writeFileSync(settings, settingsOf(options, proxy.socket))
    try {
      const env = { PATH }
      const command = ["haproxy", "-q", "-db", "-f", settings]
      const child = Bun.spawn(command, { env, stdio: ["ignore", "ignore", "inherit"] })
      proxy.#child = child
      const answers = async () => {
        if (child.exitCode !== null) throw new Error("HAProxy did not start")
        const { ok } = await fetch("http://docker/_ping", { unix: proxy.socket })
        return ok
      }
      await until(() => answers().catch(() => false), { what: "HAProxy to let a ping through" })
      chmodSync(proxy.socket, 0o600)
      exercised("HAProxy", (await output(["haproxy", "-v"])).split(" ")[2] ?? "")
      return proxy
    } catch (error) {
      await proxy[Symbol.asyncDispose]()
      throw error
    }
  }

  /** To be used as the engine's. */
  get socket(): string {
    return join(this.#sandbox.path, "docker.sock")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child?.kill("SIGTERM")
    await this.#child?.exited
    await closeSandbox(this.#sandbox)
  }
}

function settingsOf(
  { socket, paths, idleSeconds, cutsEvents }: HaproxyOptions,
  own: string,
): string {
  return `
defaults
  mode http
  timeout connect 5s
  timeout client ${idleSeconds}s
  timeout server ${idleSeconds}s
frontend socket
  bind unix@${own}
  http-request deny unless METH_GET
  http-request deny unless { path_reg ^(/v[0-9.]+)?(${paths.join("|")})$ }
  use_backend events if { path_end /events }
  default_backend engine
backend engine
  server engine unix@${socket}
backend events
  server engine unix@${socket}
  ${cutsEvents ? "" : "timeout server 1h"}
`
}
