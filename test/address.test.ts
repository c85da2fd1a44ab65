import { describe, expect, test } from "bun:test"
import { isLoopback, parseAddress } from "../src/address.ts"

describe("parseAddress", () => {
  test.each([
    ["0.0.0.0:6020", { hostname: "0.0.0.0", port: 6020 }],
    ["127.0.0.1:0", { hostname: "127.0.0.1", port: 0 }],
    ["localhost:65535", { hostname: "localhost", port: 65_535 }],
    ["logs.example.org:80", { hostname: "logs.example.org", port: 80 }],
    ["[::1]:6020", { hostname: "::1", port: 6020 }],
    ["[::]:6020", { hostname: "::", port: 6020 }],
    [":6020", { hostname: "0.0.0.0", port: 6020 }],
  ])("understands %s", (text, expected) => {
    expect(parseAddress(text)).toEqual(expected)
  })

  test.each([
    "",
    "6020",
    "localhost",
    "localhost:",
    "localhost:65536",
    "localhost:-1",
    "localhost:0x10",
    "localhost:6020 ",
    "http://localhost:6020",
    "::1:6020",
    "[::1]",
    "[127.0.0.1]:6020",
    "[zz::]:6020",
    "256.0.0.1:6020",
    "127.1:6020",
    "a b:6020",
    "host_:6020",
  ])("refuses %j", (text) => {
    expect(parseAddress(text)).toBeUndefined()
  })
})

describe("isLoopback", () => {
  test("knows the names that this host is called by, and no other", () => {
    const isIt = (hostname: string) => isLoopback({ hostname, port: 1 })
    expect(["localhost", "127.0.0.1", "::1"].filter(isIt).length).toBe(3)
    expect(
      ["0.0.0.0", "::", "127.0.0.2", "localhost.example.org", "10.0.0.1"].filter(isIt),
    ).toEqual([])
  })
})
