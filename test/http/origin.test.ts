import { describe, expect, test } from "bun:test"
import { refuseWebPages } from "../../src/http/origin.ts"

const PORT = 6021

/** The code of the refusal, or none. */
function verdict(headers: Record<string, string>, port = PORT): string | undefined {
  try {
    refuseWebPages({ headers: new Headers(headers) } as Request, port)
  } catch (error) {
    return (error as { code: string }).code
  }
  return undefined
}

const here = [`localhost:${PORT}`, `127.0.0.1:${PORT}`, `[::1]:${PORT}`, `LOCALHOST:${PORT}`]
const elsewhere = [
  "",
  "localhost",
  "localhost:80",
  `evil.test:${PORT}`,
  `localhost.evil.test:${PORT}`,
  `evil.test#localhost:${PORT}`,
  `localhost:${PORT}, evil.test`,
  `localhost:${PORT}@evil.test`,
  `localhost.:${PORT}`,
  `127.0.0.2:${PORT}`,
  `127.1:${PORT}`,
  `2130706433:${PORT}`,
  `0.0.0.0:${PORT}`,
  `[::]:${PORT}`,
  `::1:${PORT}`,
  `[::ffff:127.0.0.1]:${PORT}`,
]
const origins = [undefined, "null", "", `http://localhost:${PORT}`, "https://evil.test"]
const sites = [undefined, "none", "same-origin", "same-site", "cross-site", "", "nonsense"]

function headersOf(host: string, origin: string | undefined, site: string | undefined) {
  return {
    Host: host,
    ...(origin !== undefined && { Origin: origin }),
    ...(site !== undefined && { "Sec-Fetch-Site": site }),
  }
}

describe("the loopback listener", () => {
  test.each(here)("as %s lets programs in, and no web page", (host) => {
    for (const origin of origins) {
      for (const site of sites) {
        const isProgram = origin === undefined && ["none", "same-origin", undefined].includes(site)
        expect(verdict(headersOf(host, origin, site))).toBe(
          isProgram ? undefined : "forbidden_origin",
        )
      }
    }
  })

  test.each(elsewhere)("as %p lets nobody in", (host) => {
    for (const origin of origins) {
      for (const site of sites) {
        expect(verdict(headersOf(host, origin, site))).toBe("misdirected_request")
      }
    }
  })

  test("without a Host there is no passing", () => {
    expect(verdict({})).toBe("misdirected_request")
  })

  test("on port 80 a Host has no port", () => {
    expect(verdict({ Host: "localhost" }, 80)).toBeUndefined()
    expect(verdict({ Host: "[::1]:80" }, 80)).toBeUndefined()
  })
})
