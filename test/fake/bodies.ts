/** What the engine tells of itself and of its containers. */
import { toInstant } from "../../src/time.ts"
import type { FakeContainer } from "./container.ts"

export function engineVersion(apiMinor: number): string {
  return apiMinor <= 41 ? "20.10.24" : `${Math.min(apiMinor - 19, 29)}.0.0`
}

export function versionBody(apiMinor: number, minApiMinor: number): unknown {
  return {
    Version: engineVersion(apiMinor),
    ApiVersion: `1.${apiMinor}`,
    MinAPIVersion: `1.${minApiMinor}`,
    Os: "linux",
    Arch: "amd64",
  }
}

export function listEntry(container: FakeContainer): unknown {
  return {
    Id: container.id,
    Names: [`/${container.name}`],
    Image: container.image,
    ImageID: `sha256:${"e".repeat(64)}`,
    Command: "/bin/sh",
    Created: Number(container.createdNs / 1_000_000_000n),
    Ports: [],
    Labels: container.labels,
    State: container.state,
    Status: container.state === "exited" ? `Exited (${container.exitCode})` : container.state,
    HostConfig: { NetworkMode: "none" },
    NetworkSettings: { Networks: {} },
    Mounts: [],
  }
}

export function inspectBody(container: FakeContainer): unknown {
  const { state } = container
  return {
    Id: container.id,
    Created: goTime(container.createdNs),
    Path: "/bin/sh",
    Args: [],
    State: {
      Status: state,
      Running: ["running", "paused", "restarting"].includes(state),
      Paused: state === "paused",
      Restarting: state === "restarting",
      OOMKilled: container.oomKilled,
      Dead: state === "dead",
      Pid: container.run === undefined ? 0 : 4_711,
      ExitCode: container.exitCode,
      Error: "",
      StartedAt: goTime(container.startedNs),
      FinishedAt: goTime(container.finishedNs),
    },
    Image: `sha256:${"e".repeat(64)}`,
    LogPath: container.driver === "json-file" ? container.logPath : "",
    Name: `/${container.name}`,
    RestartCount: container.restartCount,
    Driver: "overlay2",
    HostConfig: { LogConfig: { Type: container.driver, Config: {} }, NetworkMode: "none" },
    // Environments hold secrets: nothing of them may ever come out of a reader of logs.
    Config: {
      Hostname: container.id.slice(0, 12),
      Tty: container.tty,
      Env: ["PASSWORD=canary-of-the-environment"],
      Cmd: ["/bin/sh"],
      Image: container.image,
      Labels: container.labels,
    },
  }
}

/** RFC 3339 without the zeros at its end, as Go prints it. */
function goTime(ns: bigint | undefined): string {
  if (ns === undefined) return "0001-01-01T00:00:00Z"
  return toInstant(ns).replace(/\.?0*Z$/, "Z")
}
