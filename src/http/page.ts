/**
 * The OpenAPI document as a page for people. It is one file: no script, and nothing from elsewhere, so
 * that it can be read on a host without a way out, and cannot be made to do anything.
 */
import { createHash } from "node:crypto"
import { allCodes } from "../errors.ts"
import type { Document } from "./openapi.ts"

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
h2 { font-size: 1.1rem; margin-top: 2.5rem; border-top: 1px solid; padding-top: 1rem }
code { font: 0.9em ui-monospace, monospace }
td, th { text-align: left; vertical-align: top; padding: 0.15rem 1rem 0.15rem 0 }
`

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64")

/** Lets the one style through, and nothing else. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; sandbox`

export function renderPage(document: Document): string {
  const { info, paths } = document
  const operations = Object.entries(paths).map(([path, item]) =>
    item?.get === undefined ? "" : renderOperation(path, item.get),
  )
  const codes = allCodes().map(({ code, status, title }) => [
    mono(code),
    String(status),
    escape(title),
  ])
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(info.title)}</title><style>${STYLE}</style>
<h1>${escape(info.title)} ${escape(info.version)}</h1>
<p>${escape(info.description)}</p>
${operations.join("\n")}
<h2>Errors</h2>
<p>An answer that is not the one asked for is an RFC 9457 problem with one of these codes.</p>
${table(codes)}
</html>
`
}

type Operation = NonNullable<NonNullable<Document["paths"][string]>["get"]>

function renderOperation(path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map((parameter) => {
    if ("$ref" in parameter) return []
    const { name, schema } = parameter
    const description = schema !== undefined && "description" in schema ? schema.description : ""
    return [mono(name), escape(description ?? "")]
  })
  const answers = Object.entries(operation.responses).map(([status, response]) => {
    if ("$ref" in response) return []
    const types = Object.keys(response.content ?? {}).join(", ")
    return [escape(status), mono(types), escape(response.description)]
  })
  return `<h2><code>GET ${escape(path)}</code></h2>
<p>${escape([operation.summary, operation.description].filter(Boolean).join(". "))}</p>
${table(parameters)}
${table(answers)}`
}

/** Of cells that are HTML already. */
function table(rows: readonly (readonly string[])[]): string {
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`)
  return body.length === 0 ? "" : `<table>${body.join("\n")}</table>`
}

function mono(text: string): string {
  return `<code>${escape(text)}</code>`
}

function escape(text: string): string {
  return Bun.escapeHTML(text)
}
