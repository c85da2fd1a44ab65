/** A private nginx in front of applogs: Debian's own settings, and behind them what the README says to add. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Address } from "./e2e/wire.ts"
import { freePort } from "./free-port.ts"
import { exercised, NGINX_SETTINGS } from "./machine.ts"
import { output, PATH } from "./output.ts"
import { closeSandbox, openSandbox, type Sandbox, until } from "./sandbox.ts"

export interface NginxOptions {
  /** The address that stands for `http://127.0.0.1:6020`. */
  readonly upstream: string
  /** Before everything else, as `worker_shutdown_timeout 1s;`. */
  readonly main?: string
  /** In the server, as `proxy_read_timeout 17s;`. */
  readonly server?: string
  /** What the server listens with; `http2` is HTTP/2 without a certificate. */
  readonly listen?: string
  /** Instead of the README's. */
  readonly locations?: string
}

export class PrivateNginx implements AsyncDisposable {
  readonly #sandbox: Sandbox
  readonly #port: number
  #child: Bun.Subprocess | undefined

  private constructor(sandbox: Sandbox, port: number) {
    this.#sandbox = sandbox
    this.#port = port
  }

  static async start(options: NginxOptions): Promise<PrivateNginx> {
    const nginx = new PrivateNginx(await openSandbox(), freePort())
    writeFileSync(nginx.#path("nginx.conf"), nginx.#settings(options))
    try {
      await nginx.start()
      exercised("nginx", (await output(["sh", "-c", "nginx -v 2>&1"])).replace(/.*\//, ""))
      return nginx
    } catch (error) {
      await nginx[Symbol.asyncDispose]()
      throw error
    }
  }

  get address(): Address {
    return { host: "127.0.0.1", port: this.#port }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Starts it, again if need be, on the same port. */
  async start(): Promise<void> {
    const child = Bun.spawn([...this.#command, "-g", "daemon off;"], {
      env: { PATH },
      stdio: ["ignore", "ignore", "inherit"],
    })
    this.#child = child
    const listens = async () => {
      if (child.exitCode !== null) throw new Error(`nginx did not start: ${this.log()}`)
      const socket = { data() {} }
      return Bun.connect({ hostname: "127.0.0.1", port: this.#port, socket }).then(
        (connection) => {
          connection.end()
          return true
        },
        () => false,
      )
    }
    await until(listens, { what: "nginx to listen" })
  }

  /** New workers with the same settings; the old ones end as these say. */
  async reload(): Promise<void> {
    await output([...this.#command, "-s", "reload"])
  }

  /** Ends it at once, with all connections. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child) return
    // SIGTERM is its fast way to end; a killed master would leave its workers behind, who serve on.
    child.kill("SIGTERM")
    await child.exited
  }

  log(): string {
    return readFileSync(this.#path("error.log"), "utf8")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await closeSandbox(this.#sandbox)
  }

  get #command(): string[] {
    const { path } = this.#sandbox
    return ["nginx", "-p", path, "-e", this.#path("error.log"), "-c", this.#path("nginx.conf")]
  }

  #settings({ upstream, main = "", server = "", listen = "", locations }: NginxOptions): string {
    const ours = (locations ?? fromReadme()).replace("http://127.0.0.1:6020", upstream)
    const site = `server { listen 127.0.0.1:${this.#port} ${listen}; ${server}\n${ours} }`
    const usual = readFileSync(NGINX_SETTINGS, "utf8")
      .replace("/run/nginx.pid", this.#path("nginx.pid"))
      .replaceAll("/var/log/nginx", this.#sandbox.path)
      // What somebody has added on this machine is left out.
      .replaceAll(/include \/etc\/nginx\/(conf\.d|modules-enabled)\/\S+;/g, "")
      .replace("include /etc/nginx/sites-enabled/*;", site)
    return `${main}\n${usual}`
  }

  #path(name: string): string {
    return join(this.#sandbox.path, name)
  }
}

function fromReadme(): string {
  const readme = readFileSync(join(import.meta.dir, "../../README.md"), "utf8")
  const block = /^```nginx\n([^]*?)```/m.exec(readme)?.[1]
  if (block === undefined) throw new Error("the README has nothing for nginx")
  return block
}
