/** Requests that nobody should make, and what is to be said of each. */

const LONG = "x".repeat(200)

/** A query, and the parameter that is wrong in it. */
export const PARAMETERS: readonly (readonly [query: string, parameter: string])[] = [
  ...[
    "-1",
    "-0",
    "+1",
    "1.5",
    "1e3",
    "0x10",
    "",
    "%20",
    "01",
    "10001",
    "999999999999",
    "all%00",
  ].map((tail) => [`tail=${tail}`, "tail"] as const),
  ...["ALL", "NaN", "Infinity", "١", "1%0A", "1,2", "null"].map(
    (tail) => [`tail=${tail}`, "tail"] as const,
  ),
  ...["since", "until"].flatMap((name) =>
    [
      "",
      "yesterday",
      "2026-08-20T12:34:56",
      "2026-08-20",
      "2026-08-20T12:34:56.123456789012345678901234567890Z",
      "1969-12-31T23:59:59Z",
      "2026-02-30T00:00:00Z",
      "2026-08-20T24:00:00Z",
      "2026-08-20T12:34:56%2B25:00",
      "10000-01-01T00:00:00Z",
      "-5m",
      "5",
      "1m1",
      "1y",
      "1787229296.1234567890",
      "0x5",
      "%00",
      "2026-08-20T12:34:56Z%0D%0AX-Injected:%20yes",
    ]
      // Unix seconds, however few, are a time.
      .filter((time) => time !== "5")
      .map((time) => [`${name}=${time}`, name] as const),
  ),
  ...["stdin", "", "STDOUT", "stdout,stderr", "stdout%00"].map(
    (stream) => [`stream=${stream}`, "stream"] as const,
  ),
  ...["postgres,,redis", "a%20b", "%2e%2e%2f", LONG].map(
    (needs) => [`includeNeeds=${needs}`, "includeNeeds"] as const,
  ),
  ["service=", "service"],
  ["format=xml", "format"],
  ["format=", "format"],
  ["verbose=perhaps", "verbose"],
  [`grep=${"g".repeat(1_025)}`, "grep"],
  ["tail=1&tail=2", "tail"],
  ["since=1m&since=1m", "since"],
  ["service=web&service=web", "service"],
  ["grep=a&grep=b", "grep"],
  ["cursor=", "cursor"],
  ["cursor=v1", "cursor"],
  ["cursor=v2.abc", "cursor"],
  ["cursor=v1.abc.123", "cursor"],
  [`cursor=v1.${"a".repeat(7_000)}`, "cursor"],
  ["cursor=v1.abc%0Aevent:%20end", "cursor"],
  ["token=secret-0123456789", "token"],
  ["api_key=secret-0123456789", "api_key"],
]

/** A path, and what it is. */
export const ADDRESSES: readonly (readonly [path: string, status: number, code: string])[] = [
  ["/api/apps/nobody/logs", 404, "app_not_found"],
  [`/api/apps/${LONG}/logs`, 404, "app_not_found"],
  [`/api/apps/${"%41".repeat(200)}/logs/stream`, 404, "app_not_found"],
  ["/api/apps/..%2fshop/logs", 404, "app_not_found"],
  ["/api/apps/..%2F..%2Fetc%2Fpasswd/logs", 404, "app_not_found"],
  ["/api/apps/%252e%252e/logs", 404, "app_not_found"],
  ["/api/apps/shop%00/logs", 404, "app_not_found"],
  ["/api/apps/shop%0D%0AX-Injected:%20yes/logs", 404, "app_not_found"],
  ["/api/apps/shop%2flogs", 404, "app_not_found"],
  ["/api/apps/shop%20/logs", 404, "app_not_found"],
  ["/api/apps/SHOP/logs", 404, "app_not_found"],
  ["/api/apps/shop-web/logs", 404, "app_not_found"],
  ["/api/apps/%E2%82/logs", 400, "invalid_parameter"],
  ["/api/apps/%zz/logs", 400, "invalid_parameter"],
  ["/api/apps//logs", 404, "not_found"],
  ["/api/apps/shop/logs/stream/more", 404, "not_found"],
  ["/api/apps/shop/logsx", 404, "not_found"],
  ["/api/apps/../apps/shop/nothing", 404, "not_found"],
  ["/api", 404, "not_found"],
  ["/API/apps", 404, "not_found"],
  ["//api/apps", 404, "not_found"],
  ["/containers/json", 404, "not_found"],
  ["/api/apps/shop/logs?service=nobody", 404, "service_not_found"],
  [`/api/apps/shop/logs?service=${LONG}`, 404, "service_not_found"],
  ["/api/apps/shop/logs/stream?service=..%2fweb", 404, "service_not_found"],
  ["/api/apps/shop/logs/stream?service=web%00", 404, "service_not_found"],
  ["/api/apps/shop/logs/stream?service=web%0D%0A", 404, "service_not_found"],
]

/** Header lines, and what they are; `KEY` stands for a valid key. */
export const AUTHORIZATIONS: readonly (readonly [title: string, header: string, code: string])[] = [
  ["no Authorization", "", "unauthenticated"],
  ["an empty one", "Authorization: \r\n", "unauthenticated"],
  ["a key alone", "Authorization: KEY\r\n", "unauthenticated"],
  ["Basic", "Authorization: Basic S0VZOktFWQ==\r\n", "unauthenticated"],
  ["Bearer alone", "Authorization: Bearer\r\n", "unauthenticated"],
  ["a wrong key", "Authorization: Bearer wrong-0123456789abcdef\r\n", "invalid_token"],
  ["a key and a little more", "Authorization: Bearer KEYx\r\n", "invalid_token"],
  ["two keys in one", "Authorization: Bearer KEY KEY\r\n", "invalid_token"],
  ["two keys, by comma", "Authorization: Bearer KEY, Bearer KEY\r\n", "invalid_token"],
  [
    "two headers",
    "Authorization: Bearer KEY\r\nAuthorization: Bearer wrong-0123456789abcdef\r\n",
    "invalid_token",
  ],
  [
    "two headers, the right one last",
    "Authorization: Bearer wrong-0123456789abcdef\r\nAuthorization: Bearer KEY\r\n",
    "invalid_token",
  ],
  ["a key in the cookie", "Cookie: Authorization=Bearer KEY\r\n", "unauthenticated"],
  ["a key for a proxy", "Proxy-Authorization: Bearer KEY\r\n", "unauthenticated"],
]

function request(line: string, ...rest: readonly string[]): string {
  const head = ["Host: x", "Connection: close", "Authorization: Bearer KEY", ...rest]
  return `${line} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`
}

/** Whole requests, and what is answered. */
export const METHODS: readonly (readonly [
  title: string,
  request: string,
  status: number,
  code: string,
])[] = [
  ...["POST", "PUT", "DELETE", "PATCH", "OPTIONS"].map(
    (method) =>
      [
        method,
        request(`${method} /api/apps/shop/logs`, "Content-Length: 0"),
        405,
        "method_not_allowed",
      ] as const,
  ),
  [
    "POST and a body",
    `${request("POST /api/apps", "Content-Length: 5")}hello`,
    405,
    "method_not_allowed",
  ],
  [
    "GET and a body",
    `${request("GET /api/apps", "Content-Length: 5")}hello`,
    400,
    "invalid_request",
  ],
  [
    "GET and a chunked body",
    `${request("GET /api/apps", "Transfer-Encoding: chunked")}5\r\nhello\r\n0\r\n\r\n`,
    400,
    "invalid_request",
  ],
  [
    "a type that is not made",
    request("GET /api/apps/shop/logs", "Accept: image/png"),
    406,
    "not_acceptable",
  ],
  [
    "a stream as a type that is not made",
    request("GET /api/apps/shop/logs/stream", "Accept: text/html"),
    406,
    "not_acceptable",
  ],
]

/** Bytes that are no request. */
export const GARBAGE: readonly (readonly [title: string, bytes: string])[] = [
  ["no HTTP", "hello\r\n\r\n"],
  [
    "a NUL in the path",
    "GET /api/apps/shop\0/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\n\r\n",
  ],
  [
    "a blank in the path",
    "GET /api/apps/sh op/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\n\r\n",
  ],
  ["a NUL in a header", "GET /api/apps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\0\r\n\r\n"],
  ["no Host", "GET /api/apps HTTP/1.1\r\nAuthorization: Bearer KEY\r\n\r\n"],
  [
    "two lengths",
    "GET /api/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
  ],
  [
    "a length and chunks",
    "POST /api/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["a negative length", "GET /api/apps HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
  ["a path of 20,000 characters", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ["headers of 100 KiB", `GET /api/apps HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(102_400)}\r\n\r\n`],
  ["CONNECT", "CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n"],
  ["TRACE", "TRACE /api/apps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\n\r\n"],
]
