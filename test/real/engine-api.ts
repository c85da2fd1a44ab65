/** The few calls of the Docker Engine's HTTP API that the tests need to make things happen. */

/** Calls the engine and throws on any status but the 2xx and those in `allow`. */
export async function call(
  socket: string,
  method: "GET" | "POST" | "DELETE",
  path: string,
  { json, body, allow = [] }: { json?: unknown; body?: Blob; allow?: readonly number[] } = {},
): Promise<Response> {
  const response = await fetch(`http://engine${path}`, {
    unix: socket,
    method,
    ...(json === undefined
      ? body && { body }
      : { body: JSON.stringify(json), headers: { "content-type": "application/json" } }),
    // A daemon that is stopped by a signal never answers; nothing asked of it here takes longer.
    signal: AbortSignal.timeout(60_000),
  })
  if (response.ok || allow.includes(response.status)) return response
  throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
}

/** What a container is started with. */
export interface ContainerSpec {
  /** Unique within the engine. */
  readonly name: string
  readonly command: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly tty?: boolean
  /** Default `json-file`. */
  readonly logDriver?: string
  readonly logOptions?: Readonly<Record<string, string>>
  readonly restart?: "no" | "always" | "unless-stopped" | "on-failure"
  /** As `docker run --rm`: deleted, with its log, as soon as it has ended. */
  readonly remove?: boolean
}

/** The part of an inspection that tests look at. */
export interface Inspection {
  readonly Id: string
  readonly LogPath: string
  readonly RestartCount: number
  readonly State: {
    readonly Status: string
    readonly Running: boolean
    readonly Pid: number
    readonly ExitCode: number
  }
  readonly Config: { readonly Tty: boolean }
}

/** The body of `POST /containers/create`. */
export function createBody(image: string, spec: ContainerSpec, cgroup: string): object {
  return {
    Image: image,
    Cmd: spec.command,
    Labels: spec.labels ?? {},
    Env: Object.entries(spec.env ?? {}).map(([name, value]) => `${name}=${value}`),
    Tty: spec.tty ?? false,
    HostConfig: {
      NetworkMode: "none",
      CgroupParent: `/${cgroup}`,
      LogConfig: { Type: spec.logDriver ?? "json-file", Config: spec.logOptions ?? {} },
      RestartPolicy: { Name: spec.restart ?? "no" },
      AutoRemove: spec.remove ?? false,
    },
  }
}
