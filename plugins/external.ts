/** Loads a plugin from a file. What is in it runs in this process, with all its rights. */
import { stat } from "node:fs/promises"
import {
  type DeclaredGuarantee,
  type Runtime,
  RUNTIME_API,
  type RuntimePlugin,
} from "../src/runtime.ts"
import { CheckedRuntime } from "./checked.ts"

/** What a file may take to be loaded. */
const LOAD_MS = 5_000

const METHODS = ["ping", "list", "watch", "read", Symbol.asyncDispose] as const

/** Throws an Error that says what is wrong with the file. */
export async function loadFile(path: string): Promise<RuntimePlugin> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new Error(`there is no file ${path}`)
  if (!found.isFile()) throw new Error(`${path} is not a file`)
  const loaded = await importWithin(path)
  const plugin = isObject(loaded) ? loaded["plugin"] : undefined
  if (!isObject(plugin)) throw new Error(`${path} exports no "plugin"`)
  if (plugin["api"] !== RUNTIME_API) {
    const versions = `version ${String(plugin["api"])}, and this is version ${RUNTIME_API}`
    throw new Error(`${path} was written for another contract: it says ${versions}`)
  }
  if (!isPlugin(plugin)) throw new Error(`${path} exports a "plugin" without a name or create()`)
  const { name, api } = plugin
  const declared: unknown = plugin.guarantees
  return {
    name,
    api,
    // For people to read alone: without them, it serves all the same.
    guarantees: Array.isArray(declared) ? declared.filter(isDeclared) : [],
    create(options) {
      const runtime: unknown = plugin.create(options)
      if (isRuntime(runtime)) return new CheckedRuntime(name, runtime)
      throw new Error(`it gave no runtime: one has ${METHODS.map(methodName).join(", ")}`)
    },
  }
}

async function importWithin(path: string): Promise<unknown> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`it was not loaded within ${LOAD_MS} ms: what does it await?`)),
    LOAD_MS,
  )
  try {
    return await Promise.race([import(path), late.promise])
  } catch (error) {
    throw new Error(`${path} cannot be loaded: ${reasonOf(error)}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** Bun says of several mistakes at once only how many they are: the first is worth more. */
function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (!isObject(first)) return String(first)
  const { message, position } = first as { message?: unknown; position?: unknown }
  const line = isObject(position) ? ` (line ${String(position["line"])})` : ""
  return `${String(message)}${line}`
}

function isPlugin(value: object): value is RuntimePlugin {
  if (!("name" in value) || !("create" in value)) return false
  return typeof value.name === "string" && typeof value.create === "function"
}

function isDeclared(value: unknown): value is DeclaredGuarantee {
  if (!isObject(value)) return false
  return ["logs", "level", "source", "reason"].every((name) => typeof value[name] === "string")
}

function isRuntime(value: unknown): value is Runtime {
  if (!isObject(value)) return false
  return METHODS.every(
    (method) => typeof (value as Record<PropertyKey, unknown>)[method] === "function",
  )
}

function methodName(method: (typeof METHODS)[number]): string {
  return typeof method === "string" ? `${method}()` : `[${method.description ?? ""}]()`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
