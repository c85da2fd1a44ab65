/** What a runtime may hand over, as shapes that can be checked: `src/runtime.ts` again, for what no compiler has seen. */
import { type Static, type TSchema, Type } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { type Batch, type Container, type Hint, POSITION } from "../src/runtime.ts"
import type { Instant } from "../src/time.ts"

const InstantText = Type.Unsafe<Instant>(
  Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$` }),
)

const Id = Type.String({ pattern: "^[0-9a-f]{64}$" })

const Position = Type.String({ pattern: POSITION.source })

const oneOf = <Word extends string>(...words: readonly Word[]) => Type.Enum(toEnum(words))

const ContainerShape = Type.Object({
  id: Id,
  name: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  pod: Type.Optional(Type.String()),
  state: oneOf("created", "running", "paused", "restarting", "exited", "dead"),
  createdAt: InstantText,
  guarantee: Type.Object({
    level: oneOf("exact", "best-effort", "unreadable"),
    source: oneOf("api", "file", "none"),
    reason: Type.String(),
  }),
})

const LineShape = Type.Object({
  stream: oneOf("stdout", "stderr"),
  timestamp: InstantText,
  message: Type.String(),
  partial: Type.Optional(Type.Literal(true)),
  position: Position,
})

const GapShape = Type.Object({
  reason: oneOf("rotated", "ambiguous", "runtime_error"),
  from: Type.Optional(InstantText),
  to: Type.Optional(InstantText),
})

export const isVersion: Shape<{ version: string }> = shape(Type.Object({ version: Type.String() }))

export const isList: Shape<Container[]> = shape(Type.Array(ContainerShape))

export const isHint: Shape<Hint> = shape(
  Type.Object({
    id: Id,
    change: oneOf("created", "started", "exited", "oom", "removed", "renamed"),
    at: InstantText,
    exitCode: Type.Optional(Type.Integer()),
  }),
)

export const isBatch: Shape<Batch> = shape(
  Type.Object({
    gap: Type.Optional(GapShape),
    lines: Type.Array(LineShape),
    position: Position,
  }),
)

/** Takes a value for what it says it is, or tells where it is not. */
export type Shape<Value> = (value: unknown) => { readonly value: Value } | { readonly flaw: string }

function shape<Schema extends TSchema>(schema: Schema): Shape<Static<Schema>> {
  const checker: TypeCheck<Schema> = TypeCompiler.Compile(schema)
  return (value) => {
    if (checker.Check(value)) return { value }
    const first = checker.Errors(value).First()
    // The value itself is not said: it may be a line of an app's log.
    return { flaw: `${first?.path || "it"}: ${first?.message ?? "is not what is expected"}` }
  }
}

function toEnum<Word extends string>(words: readonly Word[]): Record<Word, Word> {
  return Object.fromEntries(words.map((word) => [word, word])) as Record<Word, Word>
}
