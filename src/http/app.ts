/** The face of the house: every address, what it answers, and what its document says of it. */
import { Type } from "@sinclair/typebox"
import { Elysia } from "elysia"
import { Failure } from "../errors.ts"
import { describeApp } from "./apps.ts"
import type { Deps, RouteDeps } from "./deps.ts"
import { answerFailure } from "./failure.ts"
import { findApp } from "./find.ts"
import { keyOf } from "./keys.ts"
import { createDocument, describeRoute, type Document, refer } from "./openapi.ts"
import { PAGE_POLICY, renderPage } from "./page.ts"
import { SnapshotWords, StreamWords } from "./query.ts"
import { reply, replyJson } from "./reply.ts"
import { Places } from "./places.ts"
import { ROUTER } from "./router.ts"
import {
  type AppListAnswer,
  AppListSchema,
  type HealthAnswer,
  HealthSchema,
  SnapshotSchema,
} from "./schemas.ts"
import { answerSnapshot, SNAPSHOT_TYPES } from "./snapshot.ts"
import { answerStream, STREAM_TYPES } from "./stream.ts"
import { View } from "./view.ts"

/** Not listening, and open to whoever reaches it: `listen` puts it behind its doors. */
export function createApp({ directory, ...others }: Deps) {
  const { observe, version } = others
  const deps: RouteDeps = {
    ...others,
    view: (request) => new View(directory, keyOf(request)),
  }
  const arrivals = new WeakMap<Request, number>()
  const secondsOf = (request: Request) => {
    const arrival = arrivals.get(request)
    return arrival === undefined ? undefined : (performance.now() - arrival) / 1_000
  }
  const app = new Elysia({ ...ROUTER, name: "applogs" })
    .onRequest(({ request }) => void arrivals.set(request, performance.now()))
    .onError(({ error, route, request }) => {
      return answerFailure(error, observe, route, secondsOf(request))
    })
    .onAfterHandle(({ route, response, request }) => {
      if (response instanceof Response) observe.request(route, response.status, secondsOf(request))
    })
    .use(createLogRoutes(deps))
    .use(createAppRoutes(deps))
    .use(createHealthRoutes(deps))
  return app.use(createDocsRoutes(() => createDocument(app, version)))
}

const AppParams = Type.Object({ app: Type.String({ description: "The app's id" }) })

function createLogRoutes(deps: RouteDeps) {
  const places = new Places(deps.limits)
  return new Elysia({ ...ROUTER, name: "logs" })
    .get(
      "/api/apps/:app/logs",
      ({ request, params }) => answerSnapshot(deps, places, request, params.app),
      {
        params: AppParams,
        query: SnapshotWords,
        detail: describeRoute({
          summary: "An app's logs up to now",
          description: "Filters act before tail, on whole lines; lines are merged by time",
          answers: {
            [SNAPSHOT_TYPES.text]: Type.String(),
            [SNAPSHOT_TYPES.json]: SnapshotSchema,
            [SNAPSHOT_TYPES.ndjson]: refer("LogLine"),
          },
          headers: {
            "Applogs-Cursor": "The position behind the last line: the stream goes on from there",
            "Applogs-Truncated": "true if tail left lines out",
            "Applogs-Ignored-Params": "Names in the query that mean nothing here",
          },
          codes: [
            "invalid_parameter",
            "app_not_found",
            "service_not_found",
            "not_acceptable",
            "too_many_snapshots",
            "log_driver_unreadable",
            "runtime_invalid",
            "log_unreadable",
            "runtime_unavailable",
          ],
        }),
      },
    )
    .get(
      "/api/apps/:app/logs/stream",
      ({ request, params }) => answerStream(deps, places, request, params.app),
      {
        params: AppParams,
        query: StreamWords,
        detail: describeRoute({
          summary: "An app's logs as they come",
          description:
            "Events: log (a LogLine), status, gap, ping, problem, end. Each has an id: a client that " +
            "reconnects with the last one it saw gets every line once",
          answers: {
            [STREAM_TYPES.sse]: Type.String(),
            [STREAM_TYPES.ndjson]: refer("LogLine"),
          },
          headers: { "Applogs-Ignored-Params": "Names in the query that mean nothing here" },
          codes: [
            "invalid_parameter",
            "app_not_found",
            "service_not_found",
            "not_acceptable",
            "too_many_streams",
            "runtime_unavailable",
          ],
        }),
      },
    )
}

function createAppRoutes({ view }: RouteDeps) {
  return new Elysia({ ...ROUTER, name: "apps" })
    .get(
      "/api/apps",
      ({ request }) => {
        const apps = view(request).apps().map(describeApp)
        return replyJson({ apps } satisfies AppListAnswer)
      },
      {
        detail: describeRoute({
          summary: "All apps that the key may see",
          answers: { "application/json": AppListSchema },
          codes: ["runtime_unavailable"],
        }),
      },
    )
    .get(
      "/api/apps/:app",
      async ({ request, params }) => {
        const app = await findApp(view(request), params.app, undefined, request.signal)
        return replyJson(describeApp(app))
      },
      {
        params: AppParams,
        detail: describeRoute({
          summary:
            "One app: its services, their containers, and what each one's logs can be trusted for",
          answers: { "application/json": refer("App") },
          codes: ["app_not_found", "runtime_unavailable"],
        }),
      },
    )
}

const METRICS_SCOPE =
  "they count every app: ask with a key that may see all, or by the local socket"

function createHealthRoutes({ view, observe }: RouteDeps) {
  const ok: HealthAnswer = { status: "ok" }
  return new Elysia({ ...ROUTER, name: "health" })
    .get("/healthz", () => replyJson(ok), {
      detail: describeRoute({
        summary: "The service runs",
        open: true,
        answers: { "application/json": HealthSchema },
      }),
    })
    .get(
      "/readyz",
      ({ request }) => {
        if (!view(request).up) throw new Failure("runtime_unavailable", "waiting for the runtime")
        return replyJson(ok)
      },
      {
        detail: describeRoute({
          summary: "The service runs, and so does the container runtime",
          open: true,
          answers: { "application/json": HealthSchema },
          codes: ["runtime_unavailable"],
        }),
      },
    )
    .get(
      "/metrics",
      async ({ request }) => {
        if (view(request).isScoped) throw new Failure("insufficient_scope", METRICS_SCOPE)
        const { body, contentType } = await observe.metrics()
        return reply(body, contentType)
      },
      {
        detail: describeRoute({
          summary: "Metrics in the Prometheus text format",
          answers: { "text/plain": Type.String() },
          codes: ["insufficient_scope"],
        }),
      },
    )
}

function createDocsRoutes(getDocument: () => Document) {
  return new Elysia({ ...ROUTER, name: "docs" })
    .get("/openapi.json", () => replyJson(getDocument()), {
      detail: describeRoute({
        summary: "This document",
        answers: { "application/json": Type.Object({}) },
      }),
    })
    .get(
      "/docs",
      () =>
        reply(renderPage(getDocument()), "text/html; charset=utf-8", {
          "Content-Security-Policy": PAGE_POLICY,
        }),
      {
        detail: describeRoute({
          summary: "This document, to read",
          answers: { "text/html": Type.String() },
        }),
      },
    )
}
