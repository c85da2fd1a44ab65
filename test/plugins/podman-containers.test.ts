/** What Podman's answers are taken for. */
import { describe, expect, test } from "bun:test"
import {
  parseInspection,
  parseList,
  GUARANTEES,
  toContainer,
} from "../../plugins/podman-containers.ts"

const ID = "ab".repeat(32)
const LISTED = { Id: ID, Names: ["web"], State: "running", Created: "2026-01-02T03:04:05.6+01:00" }

function inspection(driver: string, state: object = {}) {
  const LogConfig = { Type: driver, Path: "/log" }
  const State = { Status: "running", StartedAt: "2026-01-02T03:04:05Z", ...state }
  return parseInspection(
    JSON.stringify({ State, Config: { Tty: true }, HostConfig: { LogConfig } }),
  )
}

function guarantee(driver: string, version = "5.7.1", place: "api" | "none" | "file" = "api") {
  const where = place === "file" ? { file: "/log" } : place
  return toContainer(LISTED, version, inspection(driver), where).guarantee
}

describe("a list", () => {
  test("leaves out what only holds a pod together", () => {
    const listed = [LISTED, { ...LISTED, Id: "cd".repeat(32), IsInfra: true }]
    expect(parseList(JSON.stringify(listed)).map(({ Id }) => Id)).toEqual([ID])
  })

  test("that is null has nothing", () => expect(parseList("null")).toEqual([]))
})

describe("a container", () => {
  test("has its pod, if it has one, and its creation in UTC", () => {
    expect(toContainer({ ...LISTED, PodName: "shop", Labels: { a: "b" } }, "4.3.1")).toEqual({
      id: ID,
      name: "web",
      pod: "shop",
      labels: { a: "b" },
      state: "running",
      createdAt: "2026-01-02T02:04:05.600000000Z" as never,
      guarantee: GUARANTEES.unstarted,
    })
    expect(toContainer({ ...LISTED, PodName: "", Labels: null }, "4.3.1")).not.toHaveProperty("pod")
  })

  test.each([
    ["configured", "created"],
    ["initialized", "created"],
    ["stopping", "running"],
    ["paused", "paused"],
    ["stopped", "exited"],
    ["removing", "dead"],
    ["what is this", "exited"],
  ])("that is %s counts as %s", (State, state) => {
    expect(toContainer({ ...LISTED, State }, "4.3.1").state as string).toBe(state)
  })

  test("promises what its driver, its place and Podman's version allow", () => {
    expect(guarantee("k8s-file", "4.3.1", "file")).toMatchObject({ level: "exact", source: "file" })
    expect(guarantee("k8s-file").reason).toContain("to the second")
    expect(guarantee("k8s-file", "5.8.0").reason).toContain("clock")
    expect(guarantee("k8s-file", "4.3.1", "none").level).toBe("unreadable")
    expect(guarantee("journald").reason).toContain("journald")
    for (const driver of ["none", "passthrough", "passthrough-tty"]) {
      expect(guarantee(driver)).toMatchObject({ level: "unreadable", source: "none" })
    }
  })
})

describe("an inspection", () => {
  test("tells what is running, and writes until it has stopped", () => {
    const running = (Status: string) => inspection("k8s-file", { Status }).running
    expect(["running", "paused", "stopping"].map(running)).toEqual([true, true, true])
    expect(["created", "exited", "removing", ""].map(running)).toEqual([false, false, false, false])
  })

  test("takes the year 1 for never", () => {
    const never = "0001-01-01T00:00:00Z"
    expect(inspection("k8s-file", { StartedAt: never, FinishedAt: never })).toMatchObject({
      started: false,
      runBorder: undefined,
      tty: true,
      logPath: "/log",
    })
  })

  test("tells where the latest run begins, and the one before has ended", () => {
    const [StartedAt, FinishedAt] = ["2026-01-02T03:04:05.5Z", "2026-01-02T03:04:04.999Z"]
    const border = (Status: string) =>
      inspection("k8s-file", { Status, StartedAt, FinishedAt }).runBorder as string
    expect(border("running")).toBe("2026-01-02T03:04:05.009000000Z")
    expect(border("exited")).toBe("2026-01-02T03:04:05.450000000Z")
  })
})
