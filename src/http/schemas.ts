/** The shapes of all JSON that goes out: types for the code, and schemas for the OpenAPI document. */
import { type Static, Type } from "@sinclair/typebox"

export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: "What to do about it" }),
    instance: Type.String(),
    code: Type.String({ description: "Stable: made for programs" }),
    requestId: Type.String({ description: "Also in the server's own log" }),
    errors: Type.Optional(
      Type.Array(Type.Object({ parameter: Type.String(), detail: Type.String() })),
    ),
    allowed: Type.Optional(
      Type.Array(Type.String(), { description: "What would have been right" }),
    ),
  },
  { description: "An RFC 9457 problem" },
)
export type Problem = Static<typeof ProblemSchema>

export const LogLineSchema = Type.Object(
  {
    service: Type.String(),
    stream: Type.Union([Type.Literal("stdout"), Type.Literal("stderr")]),
    timestamp: Type.String({ description: "RFC 3339, UTC, always nine digits of a second" }),
    message: Type.String({ description: "Without its line end" }),
    isNeeds: Type.Boolean({ description: "Written by a needs service, such as a database" }),
    partial: Type.Optional(
      Type.Literal(true, { description: "Only on a piece of a very long line" }),
    ),
    container: Type.Optional(Type.String({ description: "Its name; only with verbose=true" })),
  },
  { description: "One line of a log" },
)
export type LogLine = Static<typeof LogLineSchema>

export const SnapshotSchema = Type.Object({
  logs: Type.String({ description: "The lines as text" }),
  cursor: Type.String({
    description: "The position behind the last line, for the stream's cursor",
  }),
  truncated: Type.Boolean({ description: "Whether tail left lines out" }),
})

const ContainerSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  state: Type.String({ description: "created, running, paused, restarting, exited or dead" }),
  createdAt: Type.String(),
  guarantee: Type.Object({
    level: Type.String({ description: "exact, best-effort or unreadable" }),
    source: Type.String({ description: "Where lines are read from: file, api or none" }),
    reason: Type.String({ description: "Why it is not more" }),
  }),
})

export const AppSchema = Type.Object(
  {
    id: Type.String(),
    services: Type.Array(
      Type.Object({
        name: Type.String(),
        needs: Type.Union([Type.String(), Type.Null()], {
          description: "The kind of a needs service",
        }),
        containers: Type.Array(ContainerSchema),
      }),
    ),
  },
  { description: "An app, its services and their containers" },
)
export type AppAnswer = Static<typeof AppSchema>

export const AppListSchema = Type.Object({ apps: Type.Array(AppSchema) })
export type AppListAnswer = Static<typeof AppListSchema>

export const HealthSchema = Type.Object({ status: Type.Literal("ok") })
export type HealthAnswer = Static<typeof HealthSchema>
