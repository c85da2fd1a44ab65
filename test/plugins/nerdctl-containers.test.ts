import { describe, expect, test } from "bun:test"
import {
  parseInspection,
  parseList,
  stateOf,
  toContainer,
} from "../../plugins/nerdctl-containers.ts"
import { GUARANTEES } from "../../plugins/nerdctl-guarantees.ts"
import { compareLists, parseEvent } from "../../plugins/nerdctl-events.ts"
import { identify } from "../../src/apps/identify.ts"

const ID = "0123456789abcdef".repeat(4)
const OTHER = "f".repeat(64)

const row = (fields: object) => `${JSON.stringify({ ID, Name: "web", Status: "Up", ...fields })}\n`

function listed(fields: object) {
  const one = parseList(row(fields)).get(ID)
  if (!one) throw new Error("it is not listed")
  return one
}

describe("a list", () => {
  test.each([
    ["Up", "running"],
    ["Up (healthy)", "running"],
    ["Paused", "paused"],
    ["Created", "created"],
    ["Exited (137) 5 seconds ago", "exited"],
    ["Restarting (1) 2 seconds ago", "restarting"],
    ["Unknown", undefined],
    ["", undefined],
  ] as const)("takes %j for %s", (Status, state) => {
    expect(listed({ Status }).state).toBe(state)
  })

  test("does not take a container without its task for a new one, once it has been started", () => {
    for (const stopped of ["true", "false"]) {
      const Labels = { "containerd.io/restart.explicitly-stopped": stopped }
      expect(listed({ Status: "Created", Labels }).state).toBe("exited")
    }
  })

  test.each([
    ["Unknown", "exited", "exited"],
    ["Unknown", "running", "running"],
    ["Unknown", undefined, "dead"],
    ["Created", "exited", "exited"],
    ["Created", "running", "exited"],
    ["Created", "created", "created"],
    ["Created", undefined, "created"],
    ["Up", "exited", "running"],
  ] as const)("that says %s of one that was %s means that it is %s", (Status, before, state) => {
    expect(stateOf(listed({ Status }), before)).toBe(state)
  })

  test("passes over sandboxes of pods, what has no id, and blank lines", () => {
    const sandbox = row({ ID: OTHER, Labels: { "io.cri-containerd.kind": "sandbox" } })
    const unnamed = row({ ID: "redis" }) + row({ ID: "" }) + row({ ID: 7 })
    expect([...parseList(`${sandbox}\n${unnamed}${row({})}`).keys()]).toEqual([ID])
  })

  test("keeps labels that are no affair of the runtime's, whatever they hold", () => {
    const Labels = {
      "a,b": 'c=d "e"',
      "nerdctl/name": "web",
      "containerd.io/restart.status": "running",
    }
    const guarantee = { level: "exact", source: "file", reason: "" } as const
    const { labels } = toContainer(listed({ Labels, CreatedAt: "?" }), "running", guarantee)
    expect(labels).toEqual({ "a,b": 'c=d "e"' })
  })

  test("tells where the output goes", () => {
    const logOf = (config: object) =>
      listed({
        Labels: {
          "nerdctl/state-dir": `/state/${ID}`,
          "nerdctl/log-config": JSON.stringify(config),
        },
      }).log
    expect(logOf({ driver: "json-file" })).toEqual({ file: `/state/${ID}/${ID}-json.log` })
    expect(logOf({ driver: "none" })).toEqual({ unreadable: GUARANTEES.none })
    expect(logOf({ driver: "syslog" })).toEqual({ unreadable: GUARANTEES.otherDriver })
    const elsewhere = { driver: "json-file", opts: { "log-path": "/etc/shadow" } }
    expect(logOf(elsewhere)).toEqual({ unreadable: GUARANTEES.elsewhere })
    expect(listed({}).log).toEqual({ unreadable: GUARANTEES.foreign })
    for (const directory of ["relative", `relative/${ID}`, "/etc", `/etc/${OTHER}`]) {
      const Labels = { "nerdctl/state-dir": directory }
      expect(listed({ Labels }).log).toHaveProperty("unreadable")
    }
  })
})

describe("a container of Kubernetes", () => {
  const labels = {
    "io.cri-containerd.kind": "container",
    "io.kubernetes.pod.name": "shop-5d4f",
    "io.kubernetes.container.name": "web",
  }

  test("is a service of its pod", () => {
    const guarantee = { level: "exact", source: "file", reason: "" } as const
    const one = listed({ Labels: labels, Name: "k8s://default/shop-5d4f/web" })
    expect(one.log).toBe("kubernetes")
    expect(identify(toContainer(one, "running", guarantee))).toMatchObject({
      app: "shop-5d4f",
      service: "web",
    })
  })

  test.each([
    ["/var/log/pods/default_shop-5d4f_0b1c/web/0.log", true],
    ["/var/log/pods/default_shop-5d4f_0b1c/web/12.log", true],
    ["/var/log/pods/../web/0.log/../../../../etc/shadow", false],
    ["/var/log/pods/a/b/../0.log", false],
    ["/etc/shadow", false],
    ["", false],
  ])("that says %j of its log is believed: %p", (LogPath, isBelieved) => {
    const value = Buffer.from(JSON.stringify({ Version: "v1", Metadata: { LogPath } })).toString(
      "base64",
    )
    const Extensions = { "io.cri-containerd.container.metadata": { type_url: "x", value } }
    const { logPath, terminal } = parseInspection(JSON.stringify({ Terminal: false, Extensions }))
    expect(logPath).toBe(isBelieved ? LogPath : undefined)
    expect(terminal).toBe(false)
  })

  test("that says nothing of its log has none", () => {
    expect(parseInspection('{"Terminal":true,"Extensions":{}}')).toEqual({
      terminal: true,
      logPath: undefined,
    })
  })
})

describe("an event", () => {
  const known = parseList(row({}))
  const at = "2026-08-20T12:00:00.500000000Z"
  const hint = (Topic: string, event: object, Namespace = "default") => {
    const Event = JSON.stringify(event)
    const line = { Timestamp: "2026-08-20T14:00:00.5+02:00", ID: "", Namespace, Topic, Event }
    return parseEvent(JSON.stringify(line), "default", known)
  }

  test("is told by its topic", () => {
    expect(hint("/containers/create", { id: ID })).toEqual({
      id: ID,
      change: "created",
      at,
    } as never)
    expect(hint("/containers/delete", { id: ID })?.change).toBe("removed")
    expect(hint("/tasks/start", { container_id: ID, pid: 7 })?.change).toBe("started")
    expect(hint("/tasks/oom", { container_id: ID })?.change).toBe("oom")
    expect(hint("/tasks/exec-started", { container_id: ID })).toBeUndefined()
    expect(hint("/snapshot/remove", { key: ID })).toBeUndefined()
  })

  test("of the end has an exit code, which is left away when it is 0; that of an exec is none", () => {
    const exit = (more: object) => hint("/tasks/exit", { container_id: ID, ...more })
    expect(exit({ id: ID, exit_status: 137 })).toMatchObject({ change: "exited", exitCode: 137 })
    expect(exit({ id: ID })).toMatchObject({ change: "exited", exitCode: 0 })
    expect(exit({ id: "exec-1", exit_status: 1 })).toBeUndefined()
  })

  test("of labels is a renaming if the name is another one", () => {
    const update = (name: string) =>
      hint("/containers/update", { id: ID, labels: { "nerdctl/name": name } })
    expect(update("web")).toBeUndefined()
    expect(update("shop")?.change).toBe("renamed")
    expect(hint("/containers/update", { id: ID, labels: {} })).toBeUndefined()
    const unknown = { id: OTHER, labels: { "nerdctl/name": "shop" } }
    expect(hint("/containers/update", unknown)).toBeUndefined()
  })

  test("of another namespace, of what has no id, and what is no event at all are passed over", () => {
    expect(hint("/tasks/start", { container_id: ID }, "moby")).toBeUndefined()
    expect(hint("/tasks/start", { container_id: "redis" })).toBeUndefined()
    for (const line of ["", "{", "null", "7", '{"Topic":"/tasks/start","Namespace":"default"}']) {
      expect(parseEvent(line, "default", known)).toBeUndefined()
    }
  })
})

test("two lists differ in what was created, started, ended and removed between them", () => {
  const before = parseList(row({ Status: "Created" }) + row({ ID: OTHER }))
  const third = "a".repeat(64)
  const after = parseList(row({}) + row({ ID: third, Status: "Exited (0) now" }))
  const changes = compareLists(before, after).map(({ id, change }) => `${id[0]} ${change}`)
  expect(changes).toEqual(["0 started", "a created", "a exited", "f removed"])
  expect(compareLists(after, after)).toEqual([])
})
