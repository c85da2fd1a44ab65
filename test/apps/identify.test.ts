import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { identify, NAME_LIMIT } from "../../src/apps/identify.ts"
import type { Container } from "../../src/runtime.ts"
import { containerOf } from "./scripted-host.ts"

function place(fields: Partial<Container>): string | undefined {
  const member = identify(containerOf(1, { name: "own-name", ...fields }))
  if (member === undefined) return undefined
  return `${member.app}/${member.service}${member.needs === undefined ? "" : ` needs ${member.needs}`}`
}

const compose = { "com.docker.compose.project": "shop", "com.docker.compose.service": "web" }

describe("identify", () => {
  const cases: [string, Partial<Container>, string | undefined][] = [
    ["nothing but a name", {}, "own-name/own-name"],
    ["Compose", { labels: compose }, "shop/web"],
    [
      "a one-off container of Compose",
      { labels: { ...compose, "com.docker.compose.oneoff": "True" } },
      "shop/web",
    ],
    [
      "podman-compose",
      { labels: { "io.podman.compose.project": "shop", "io.podman.compose.service": "web" } },
      "shop/web",
    ],
    [
      "a stack of Swarm",
      {
        labels: {
          "com.docker.stack.namespace": "shop",
          "com.docker.swarm.service.name": "shop_web",
        },
      },
      "shop/web",
    ],
    [
      "a service of Swarm without a stack",
      { name: "web.1.x7k2", labels: { "com.docker.swarm.service.name": "web" } },
      "web/web",
    ],
    ["a pod", { pod: "shop", name: "shop-web" }, "shop/web"],
    ["a pod whose container has a name of its own", { pod: "shop", name: "web" }, "shop/web"],
    [
      "a pod whose container adds nothing to its name",
      { pod: "shop", name: "shop-" },
      "shop/shop-",
    ],
    [
      "our own labels over all others",
      {
        pod: "pod",
        labels: { ...compose, "applogs.app": "mine", "applogs.service": "front" },
      },
      "mine/front",
    ],
    ["our app, Compose's service", { labels: { ...compose, "applogs.app": "mine" } }, "mine/web"],
    [
      "Compose's app, our service",
      { labels: { ...compose, "applogs.service": "api" } },
      "shop/api",
    ],
    [
      "our own needs label",
      { labels: { ...compose, "applogs.needs": "postgres" } },
      "shop/needs-postgres needs postgres",
    ],
    [
      "a service that is named for a need",
      { labels: { ...compose, "com.docker.compose.service": "needs-redis" } },
      "shop/needs-redis needs redis",
    ],
    [
      "a service that is named for no need",
      { labels: { ...compose, "com.docker.compose.service": "needs-" } },
      "shop/needs-",
    ],
    ["an empty need", { labels: { ...compose, "applogs.needs": "" } }, "shop/web"],
    [
      "a need too long for a service's name",
      { labels: { ...compose, "applogs.needs": "x".repeat(NAME_LIMIT - 5) } },
      "shop/web",
    ],
    ["an ignored container", { labels: { "applogs.ignore": "true" } }, undefined],
    ["another word for yes", { labels: { "applogs.ignore": "YES" } }, undefined],
    [
      "a container that is not ignored",
      { labels: { "applogs.ignore": "false" } },
      "own-name/own-name",
    ],
    ["an empty wish to be ignored", { labels: { "applogs.ignore": "" } }, "own-name/own-name"],
    ["a name with a blank in it", { labels: { "applogs.app": "my shop" } }, "my shop/own-name"],
    ["a name in another script", { labels: { "applogs.app": "магазин" } }, "магазин/own-name"],
    [
      "a name as long as may be",
      { name: "é".repeat(200) },
      `${"é".repeat(200)}/${"é".repeat(200)}`,
    ],
  ]
  test.each(cases)("finds the place of %s", (_, fields, expected) => {
    expect(place(fields)).toBe(expected as string)
  })

  const bad = [
    "",
    " ",
    "\u3000",
    ".",
    "..",
    "a\nb",
    "a\u0000b",
    "\u001b[31mred",
    "a\u0085b",
    "right\u202Eleft",
    "zero\u200Bwidth",
    "line\u2028end",
    "\uD800",
    "x".repeat(NAME_LIMIT + 1),
    "x".repeat(10_240),
    "😀".repeat(NAME_LIMIT + 1),
  ]
  test.each(bad)("passes over %j, from every source, down to the id", (name) => {
    const labels = {
      "applogs.app": name,
      "applogs.service": name,
      "applogs.needs": name,
      "com.docker.compose.project": name,
      "com.docker.compose.service": name,
      "com.docker.stack.namespace": name,
      "com.docker.swarm.service.name": name,
    }
    expect(place({ labels })).toBe("own-name/own-name")
    const { id } = containerOf(1)
    expect(place({ labels, name, pod: name })).toBe(`${id}/${id}`)
  })

  test("gives every container that is not ignored a name that people can read and type", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.string({ unit: "grapheme", maxLength: 300, size: "max" }),
      fc.constantFrom("shop", "shop_web", "shop-web", "needs-redis", "needs-", "true", ...bad),
    )
    const keys = [
      "applogs.app",
      "applogs.service",
      "applogs.needs",
      "applogs.ignore",
      "com.docker.compose.project",
      "com.docker.compose.service",
      "io.podman.compose.project",
      "io.podman.compose.service",
      "com.docker.stack.namespace",
      "com.docker.swarm.service.name",
    ]
    const labels = fc.dictionary(fc.constantFrom(...keys), text)
    const property = fc.property(labels, text, fc.option(text), (given, name, pod) => {
      const container = containerOf(1, { labels: given, name, ...(pod !== null && { pod }) })
      const member = identify(container)
      if (member === undefined) {
        expect(given["applogs.ignore"]).toMatch(/^(true|1|yes|on)$/i)
        return
      }
      for (const word of [member.app, member.service, member.needs ?? "x"]) {
        expect(Array.from(word).length).toBeWithin(1, NAME_LIMIT + 1)
        expect(word).not.toMatch(/\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}/u)
        // A client can ask for it: it comes through a URL as it is.
        const url = new URL(`http://host/api/apps/${encodeURIComponent(word)}/logs`)
        expect(decodeURIComponent(url.pathname.split("/")[3] as string)).toBe(word)
      }
      expect(member.container).toBe(container)
      if (member.needs !== undefined) expect(member.service).toBe(`needs-${member.needs}`)
    })
    fc.assert(property, { numRuns: 2_000 })
  })
})
