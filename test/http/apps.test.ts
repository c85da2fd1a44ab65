import { describe, expect, test } from "bun:test"
import { ask, AT, createFake, DATABASE, makeMember, readProblem, WEB } from "./fakes.ts"

const container = (name: string) => ({
  id: WEB.container.id,
  name,
  state: "running",
  createdAt: AT,
  guarantee: { level: "exact", source: "file", reason: "" },
})

describe("the apps", () => {
  test("are listed with their services, containers and guarantees, and nothing else of them", async () => {
    const fake = createFake()
    const second = makeMember("web", undefined, "shop-web-2")
    const labels = { SECRET: "canary" }
    fake.runtime.found = [
      {
        id: "blog",
        members: [WEB, { ...second, container: { ...second.container, labels } }, DATABASE],
      },
    ]
    await ask(fake, "/api/apps/blog")
    const response = await ask(fake, "/api/apps")
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      apps: [
        {
          id: "blog",
          services: [
            {
              name: "web",
              needs: null,
              containers: [container("shop-web-1"), container("shop-web-2")],
            },
            {
              name: "needs-postgres",
              needs: "postgres",
              containers: [container("shop-needs-postgres-1")],
            },
          ],
        },
      ],
    })
  })

  test("can be asked for one by one", async () => {
    const response = await ask(createFake(), "/api/apps/shop")
    expect(await response.json()).toMatchObject({ id: "shop", services: [{ name: "web" }, {}] })
    expect((await readProblem(await ask(createFake(), "/api/apps/nope"))).code).toBe(
      "app_not_found",
    )
  })
})

describe("health", () => {
  test("is told apart from the runtime's", async () => {
    const fake = createFake()
    expect((await ask(fake, "/readyz")).status).toBe(200)
    fake.runtime.up = false
    expect((await ask(fake, "/healthz")).status).toBe(200)
    const response = await ask(fake, "/readyz")
    expect(response.status).toBe(503)
    expect(response.headers.get("Retry-After")).toBe("5")
    expect((await readProblem(response)).code).toBe("runtime_unavailable")
  })

  test("every answer is counted once, by its route and never by its path", async () => {
    const fake = createFake()
    for (const path of [
      "/api/apps/shop",
      "/api/apps/nope",
      "/api/apps/shop/logs",
      "/nope",
      "/api/apps/%zz",
    ]) {
      await (await ask(fake, path)).text()
    }
    expect(fake.metrics.requests).toEqual([
      "/api/apps/:app 200",
      "/api/apps/:app 404",
      "/api/apps/:app/logs 200",
      "none 404",
      "/api/apps/:app 400",
    ])
  })

  test("metrics come as they are made", async () => {
    const response = await ask(createFake(), "/metrics")
    expect(response.status).toBe(200)
    expect(response.headers.get("Content-Type")).toBe("text/plain")
  })
})
