/** A browser without a window, told what to do over its DevTools protocol. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BROWSERS, exercised } from "./machine.ts"

const program = BROWSERS.find((name) => Bun.which(name) !== null)

/** What the protocol answers, as far as it is looked at here. */
interface Answer {
  readonly id?: number
  readonly error?: { readonly message: string }
  readonly result?: {
    readonly targetId?: string
    readonly sessionId?: string
    readonly product?: string
    readonly result?: { readonly value?: unknown }
    readonly exceptionDetails?: { readonly text: string }
  }
}

type Result = NonNullable<Answer["result"]>

export class Browser implements AsyncDisposable {
  readonly #directory: string
  readonly #child: Bun.Subprocess
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #asked = 0
  #session: string | undefined

  private constructor(directory: string, child: Bun.Subprocess, socket: WebSocket) {
    this.#directory = directory
    this.#child = child
    this.#socket = socket
    socket.addEventListener("message", ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer)
    })
  }

  /** With one empty page. */
  static async start(): Promise<Browser> {
    const directory = mkdtempSync(join(tmpdir(), "applogs-browser-"))
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    const child = Bun.spawn([program ?? "", ...flags, `--user-data-dir=${directory}`], {
      stdio: ["ignore", "ignore", "pipe"],
    })
    let said = ""
    for await (const chunk of child.stderr) {
      said += new TextDecoder().decode(chunk)
      const address = /listening on (ws:\S+)\n/.exec(said)?.[1]
      if (address === undefined) continue
      const socket = new WebSocket(address)
      await new Promise((resolve) => socket.addEventListener("open", resolve))
      const browser = new Browser(directory, child, socket)
      await browser.#openPage()
      exercised("browser", await browser.#version())
      return browser
    }
    throw new Error(`the browser did not start: ${said}`)
  }

  /** Goes to an address, and runs there what its owner forbids: a user's own tools may. */
  async goTo(url: string): Promise<void> {
    await this.#ask("Page.setBypassCSP", { enabled: true })
    await this.#ask("Page.navigate", { url })
  }

  /** The value of an expression in the page. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#ask("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    })
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`)
    return result?.value
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Debian's program is a script that waits for the browser: who kills it leaves the browser behind.
    void this.#ask("Browser.close", {})
    await this.#child.exited
    rmSync(this.#directory, { recursive: true, force: true })
  }

  async #version(): Promise<string> {
    const { product } = await this.#ask("Browser.getVersion", {})
    return product ?? "?"
  }

  async #openPage(): Promise<void> {
    const { targetId } = await this.#ask("Target.createTarget", { url: "about:blank" })
    const attached = await this.#ask("Target.attachToTarget", { targetId, flatten: true })
    this.#session = attached.sessionId
    await this.#ask("Page.enable", {})
  }

  #ask(method: string, params: object): Promise<Result> {
    const id = ++this.#asked
    const sessionId = this.#session
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ error, result = {} }) => {
        this.#waiting.delete(id)
        if (error) reject(new Error(`${method}: ${error.message}`))
        else resolve(result)
      })
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }))
    })
  }
}
