import { describe, expect, test } from "bun:test"
import { chmodSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Host } from "./consult.ts"

const AUTO = { APPLOGS_RUNTIME: "auto" }

/** An engine's socket that answers so, or never. */
function engine(path: string, answer?: string) {
  return Bun.listen({
    unix: path,
    socket: { data: (socket) => void (answer !== undefined && socket.end(answer)) },
  })
}

const PONG = "HTTP/1.1 200 OK\r\nApi-Version: 1.51\r\nContent-Length: 2\r\n\r\nOK"

describe("an engine's socket", () => {
  test("that is missing, or is none, or that nobody listens at any more", async () => {
    using host = new Host()
    const [file, dead] = [host.write("file", ""), join(host.folder, "dead")]
    const listener = engine(join(host.folder, "alive"))
    renameSync(join(host.folder, "alive"), dead)
    listener.stop(true)
    const about = (path: string) => host.about("", ["--runtime", "docker", "--docker-socket", path])
    expect((await about("/nowhere/docker.sock"))[0]).toBe(
      "fail  docker: the engine at /nowhere/docker.sock: there is no such socket: start the engine, or say where its socket is",
    )
    for (const path of [file, dead]) {
      expect((await about(path))[0]).toMatch(
        /^fail {2}docker: the engine at HERE\/\w+: (nobody listens there|it is not a socket): /,
      )
    }
  })

  test("that takes connections and never answers is not waited for", async () => {
    using host = new Host()
    const path = join(host.folder, "hanging")
    const listener = engine(path)
    const env = { ...AUTO, APPLOGS_DOCKER_SOCKET: path, APPLOGS_PODMAN_SOCKET: path }
    const { code, lines } = await host.consult([], env)
    expect(code).toBe(1)
    expect(lines.slice(0, 3)).toEqual([
      "fail  docker: no answer within 1 s: it hangs, or is something else: see what it logs",
      "fail  podman: no answer within 1 s: it hangs, or is something else: see what it logs",
      expect.stringMatching(/^fail {2}nerdctl: "\/nowhere\/nerdctl" cannot be run: /),
    ])
    listener.stop(true)
  })
})

test("what an engine says stays within its line, and does nothing to a terminal", async () => {
  using host = new Host()
  const path = join(host.folder, "hostile")
  const body = String.raw`{"message":"a\u001b[2J\nok    b"}`
  const length = `Content-Length: ${body.length}`
  const listener = engine(path, `HTTP/1.1 500 No\r\n${length}\r\n\r\n${body}`)
  const { lines } = await host.consult(["--runtime", "docker", "--docker-socket", path])
  expect(lines[0]).toMatch(/^fail {2}docker: .*a\\x1b\[2J\\x0aok {4}b/)
  listener.stop(true)
})

describe("of all engines", () => {
  test("the first that answers is served; the others are named, and may be absent", async () => {
    using host = new Host()
    const [docker, podman] = [join(host.folder, "docker"), join(host.folder, "podman")]
    const listeners = [engine(docker, PONG), engine(podman, "nonsense")]
    const env = { ...AUTO, APPLOGS_DOCKER_SOCKET: docker, APPLOGS_PODMAN_SOCKET: podman }
    const { lines } = await host.consult([], env)
    expect(lines.slice(0, 3)).toEqual([
      "ok    docker: it answers (API 1.51), and is the one that is served",
      expect.stringMatching(/^warn {2}podman: the engine at HERE\/podman: /),
      "ok    nerdctl: it is not on this host",
    ])
    for (const listener of listeners) listener.stop(true)
  })

  test("one that comes later may answer too", async () => {
    using host = new Host()
    const docker = join(host.folder, "docker")
    const listener = engine(docker, PONG)
    const nerdctl = join(host.folder, "nerdctl")
    const info = `{"ServerVersion":"2.0.0"}`
    writeFileSync(
      nerdctl,
      `#!/bin/sh\n[ "$1" = --version ] && echo nerdctl version 2.3.5 || echo '${info}'\n`,
    )
    chmodSync(nerdctl, 0o755)
    const env = { ...AUTO, APPLOGS_DOCKER_SOCKET: docker, APPLOGS_NERDCTL: nerdctl }
    const { lines } = await host.consult([], env)
    expect(lines[2]).toMatch(/^ok {4}nerdctl: it answers too \(.*\): --runtime nerdctl serves it/)
    expect(lines[3]).toStartWith("fail  containers: ")
    listener.stop(true)
  })
})
