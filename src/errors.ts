/**
 * The one table of what can go wrong, for both wings: a stable code, what HTTP says of it, and a title.
 * Codes are a promise to clients: they are added, never renamed.
 */

const CODES = {
  invalid_parameter: [400, "A parameter has a value that is not allowed"],
  invalid_request: [400, "The request contradicts itself"],
  unauthenticated: [401, "An API key is needed"],
  invalid_token: [401, "The API key is not valid"],
  insufficient_scope: [403, "The API key is not valid for this"],
  forbidden_origin: [403, "A web page of another origin may not read logs"],
  not_found: [404, "There is nothing at this address"],
  app_not_found: [404, "There is no such app"],
  service_not_found: [404, "The app has no such service"],
  method_not_allowed: [405, "Only GET and HEAD are allowed"],
  not_acceptable: [406, "None of the accepted formats can be made"],
  misdirected_request: [421, "This host name is not served here"],
  too_many_streams: [429, "Too many streams are open"],
  too_many_snapshots: [429, "Too many snapshots are read at once"],
  internal_error: [500, "Something went wrong in applogs itself"],
  log_driver_unreadable: [501, "The container's logging driver cannot be read"],
  runtime_invalid: [502, "The container runtime's plugin breaks its contract"],
  log_unreadable: [503, "The container's log cannot be read for now"],
  api_key_not_configured: [503, "No API key is configured on this server"],
  runtime_unavailable: [503, "The container runtime does not answer"],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type Code = keyof typeof CODES

export interface Details {
  /** The query parameter at fault. */
  readonly parameter?: string
  /** What would have been right: the known services, the maximum. */
  readonly allowed?: readonly string[]
  /** Seconds until another try makes sense. */
  readonly retryAfter?: number
  readonly cause?: unknown
}

/** An expected failure, with a message for the person who can do something about it. */
export class Failure extends Error {
  readonly code: Code
  readonly details: Details

  constructor(code: Code, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = "Failure"
    this.code = code
    this.details = details
  }

  /** The HTTP status. */
  get status(): number {
    return CODES[this.code][0]
  }

  get title(): string {
    return CODES[this.code][1]
  }

  /** Any thrown value as a Failure; what is not one of ours is an `internal_error`. */
  static from(error: unknown): Failure {
    if (error instanceof Failure) return error
    return new Failure("internal_error", "unexpected failure", { cause: error })
  }
}

/** Every code with its status, for documentation. */
export function allCodes(): readonly { code: Code; status: number; title: string }[] {
  return (Object.keys(CODES) as Code[]).map((code) => ({
    code,
    status: CODES[code][0],
    title: CODES[code][1],
  }))
}
