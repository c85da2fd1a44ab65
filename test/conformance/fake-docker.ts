/** Makes things happen in a fake Docker Engine, for the conformance suite. */
import { toNanoseconds } from "../../src/time.ts"
import { plugin } from "../../plugins/docker.ts"
import type { FakeContainer } from "../fake/container.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { FakeEngine, type FakeEngineOptions } from "../fake/engine.ts"
import type { ConformanceHost, HostContainer, HostContainerSpec, Output, Subject } from "./host.ts"

/** The Docker plugin at an engine of its own, which `prepare` may make a difficult one. */
export async function fakeDockerSubject(
  options: FakeEngineOptions = {},
  prepare: (engine: FakeEngine) => void = () => {},
): Promise<Subject> {
  const engine = await FakeEngine.start(options)
  prepare(engine)
  const host = new FakeDockerHost(engine)
  return { host, runtime: plugin.create(runtimeOptions({ dockerSocket: engine.socketPath })) }
}

export class FakeDockerHost implements ConformanceHost {
  readonly patienceMs = 10_000
  readonly engine: FakeEngine

  constructor(engine: FakeEngine) {
    this.engine = engine
  }

  async create(spec: HostContainerSpec = {}): Promise<HostContainer> {
    const { name, labels, tty, started, unreadable, output = [], exitCode } = spec
    const container = this.engine.addContainer({
      ...(name === undefined ? {} : { name }),
      ...(labels === undefined ? {} : { labels }),
      ...(tty === undefined ? {} : { tty }),
      ...(started === undefined ? {} : { started }),
      ...(unreadable ? { driver: "none" } : {}),
    })
    const host = new FakeHostContainer(container)
    await host.write(output)
    if (exitCode !== undefined) await host.exit(exitCode)
    return host
  }

  down(): Promise<void> {
    return this.engine.stop()
  }

  up(): Promise<void> {
    return this.engine.start()
  }

  open(): number {
    return this.engine.openRequests().length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]()
    if (this.engine.violations.length > 0) throw new Error(this.engine.violations.join("\n"))
  }
}

class FakeHostContainer implements HostContainer {
  readonly #container: FakeContainer

  constructor(container: FakeContainer) {
    this.#container = container
  }

  get id(): string {
    return this.#container.id
  }

  get name(): string {
    return this.#container.name
  }

  async write(output: readonly Output[]): Promise<void> {
    for (const { stream, text, at } of output) {
      this.#container.append(stream, text, at === undefined ? undefined : toNanoseconds(at))
    }
  }

  async exit(code: number): Promise<void> {
    this.#container.exit(code)
  }

  async stop(): Promise<void> {
    this.#container.stop(137)
  }

  async start(): Promise<void> {
    this.#container.start()
  }

  async restart(): Promise<void> {
    this.#container.restart(137)
  }

  async remove(): Promise<void> {
    this.#container.remove()
  }

  async rotate(): Promise<void> {
    this.#container.rotate()
  }
}
