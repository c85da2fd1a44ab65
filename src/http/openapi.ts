/** The OpenAPI document, made of the routes themselves. */
import { toOpenAPISchema } from "@elysiajs/openapi/openapi"
import type { TSchema } from "@sinclair/typebox"
import type { AnyElysia, DocumentDecoration } from "elysia"
import { allCodes, type Code } from "../errors.ts"
import { PROBLEM_TYPE } from "./problem.ts"
import { AppSchema, LogLineSchema, ProblemSchema } from "./schemas.ts"

/** Kept under a name of their own, and referred to by it. */
const NAMED = { App: AppSchema, LogLine: LogLineSchema, Problem: ProblemSchema }

type Named = keyof typeof NAMED

/** A schema's place in the document. */
export function refer(name: Named): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

interface RouteWords {
  readonly summary: string
  readonly description?: string
  /** What a 200 may be, by media type. */
  readonly answers: Readonly<Record<string, TSchema | { $ref: string }>>
  readonly headers?: Readonly<Record<string, string>>
  /** What may go wrong behind the gate. */
  readonly codes?: readonly Code[]
  /** Whether it is open to everybody. */
  readonly open?: boolean
}

const GATE_CODES: readonly Code[] = ["unauthenticated", "invalid_token", "api_key_not_configured"]

/** A route's part of the document. */
export function describeRoute(words: RouteWords): DocumentDecoration {
  const { summary, description, answers, headers = {}, codes = [], open = false } = words
  const responses: NonNullable<DocumentDecoration["responses"]> = {
    200: {
      description: summary,
      headers: mapValues(headers, (text) => ({ description: text, schema: { type: "string" } })),
      content: mapValues(answers, (schema) => ({ schema })),
    },
  }
  const possible = open ? codes : [...GATE_CODES, ...codes]
  const failures = allCodes().filter(({ code }) => possible.includes(code))
  for (const [status, group] of Map.groupBy(failures, (failure) => failure.status)) {
    responses[status] = {
      description: group.map(({ code, title }) => `${code}: ${title}`).join(". "),
      content: { [PROBLEM_TYPE]: { schema: refer("Problem") } },
    }
  }
  return {
    summary,
    ...(description !== undefined && { description }),
    ...(open && { security: [] }),
    responses,
  }
}

export function createDocument(app: AnyElysia, version: string) {
  const { paths } = toOpenAPISchema(app, { staticFile: false })
  return {
    openapi: "3.1.0",
    info: {
      title: "applogs",
      version,
      description:
        "The logs of a container host's apps: snapshots and live streams, every line once.",
    },
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: NAMED,
    },
    paths,
  }
}

export type Document = ReturnType<typeof createDocument>

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}
