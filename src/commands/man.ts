/** The manual page, in roff's man macros. */
import { flagOf, type Option, type Options, variableOf, defaultOf } from "../options.ts"
import { VERSION } from "../version.ts"
import type { Command, Manual } from "./command.ts"
import { TITLE } from "./help.ts"

export function manPage(commands: Readonly<Record<string, Command>>): string {
  const all = Object.entries(commands)
  const told = all.flatMap(([name, { manual }]) => (manual ? ([[name, manual]] as const) : []))
  return [
    // No date: a build is the same tomorrow.
    `.TH APPLOGS 1 "" "applogs ${escape(VERSION)}" "User Commands"`,
    ".SH NAME",
    `applogs \\- ${plain(TITLE)}`,
    ".SH SYNOPSIS",
    all.map(([, { usage }]) => `.B applogs\n${plain(usage)}`).join("\n.br\n"),
    ".SH COMMANDS",
    ...all.map(([name, { summary }]) => `.TP\n.B ${escape(name)}\n${plain(summary)}`),
    ...told.map(([name, manual]) => section(name, manual)),
    "",
  ].join("\n")
}

function section(name: string, { title, text, options, examples, exits }: Manual): string {
  const codes = Object.entries(exits).map(([code, why]) => `.TP\n.B ${code}\n${plain(why)}`)
  return [
    `.SH ${escape(`applogs ${name}`.toUpperCase())}`,
    plain(`${title[0]?.toUpperCase()}${title.slice(1)}.`),
    ...text.map((paragraph) => `.PP\n${plain(paragraph)}`),
    ...entries(options),
    ".SS Examples",
    ".nf",
    ...examples.map(escape),
    ".fi",
    ".SS Exit codes",
    ...codes,
  ].join("\n")
}

function entries(options: Options): string[] {
  return Object.entries(options).map(([name, option]) => {
    const words = `${option.help} (${variableOf(name)}; default: ${defaultOf(option)})`
    return `.TP\n${flag(name, option)}\n${plain(words)}`
  })
}

function flag(name: string, { value }: Option): string {
  const bold = `\\fB${escape(flagOf(name))}\\fR`
  return value === undefined ? bold : `${bold} \\fI${escape(value)}\\fR`
}

/** Markdown's code in bold. */
function plain(text: string): string {
  return escape(text).replace(/`([^`]*)`/g, "\\fB$1\\fR")
}

/** A line that begins with a dot or a quote would be a request; a bare `-` would be a hyphen. */
function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replace(/^(?=[.'])/gm, "\\&")
}
