/** What lets a shell complete the words of the command line, made from the tables of commands and options. */
import { flagOf, type Option } from "../options.ts"
import { UsageError } from "../usage.ts"
import type { Command } from "./command.ts"

type Commands = Readonly<Record<string, Command>>

const SCRIPTS: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh, fish }

export const SHELLS = Object.keys(SCRIPTS)

/** A script for the shell to read. Throws a UsageError. */
export function complete(commands: Commands, shell = ""): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  if (!script) throw new UsageError("completion", `one of ${SHELLS.join(", ")} is wanted`)
  return script(commands)
}

/** Shells expand what they are offered: a name that is more than a word, as a container may have, is left out. */
const APPS = `applogs apps 2>/dev/null | awk 'NR > 1 && $1 ~ /^[A-Za-z0-9._-]+$/ && !seen[$1]++ { print $1 }'`

function isPath({ value }: Option): boolean {
  return value === "path"
}

function takesApp({ usage }: Command): boolean {
  return / APP\b/.test(usage)
}

function flagsOf({ manual }: Command): [flag: string, option: Option][] {
  return Object.entries(manual?.options ?? {}).map(([name, option]) => [flagOf(name), option])
}

function bash(commands: Commands): string {
  const cases = Object.entries(commands).flatMap(([name, command]) => {
    const flags = flagsOf(command)
    const taking = flags.filter(([, option]) => option.kind !== "switch")
    const values = [...Map.groupBy(taking, ([, option]) => bashOffer(option))].map(
      ([offer, alike]) => `${alike.map(([flag]) => `'${name} ${flag}'`).join(" | ")}) ${offer};;`,
    )
    const words = [...flags.map(([flag]) => flag), ...(command.words ?? [])].join(" ")
    const apps = takesApp(command) ? ` $([[ $word == -* ]] || ${APPS})` : ""
    return [...values, `'${name} '*) words="${words}${apps}" ;;`]
  })
  return `_applogs() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words= files=
  ((COMP_CWORD > 1)) || words='${Object.keys(commands).join(" ")}'
  ((COMP_CWORD == 1)) || case "\${COMP_WORDS[1]} $before" in
${cases.map((each) => `    ${each}`).join("\n")}
  esac
  [[ -z $files ]] || compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen \${files:+-f} -W "$words" -- "$word")
}
complete -F _applogs applogs
`
}

/** Where a flag's value is wanted. */
function bashOffer(option: Option): string {
  if (option.kind === "choice") return `words='${option.values.join(" ")}' `
  return isPath(option) ? "files=1 " : ""
}

function zsh(commands: Commands): string {
  const names = Object.entries(commands).map(([name, { summary }]) => quoted(`${name}:${summary}`))
  const cases = Object.entries(commands).map(([name, command]) => {
    const specs = flagsOf(command).map(([flag, option]) => zshFlag(flag, option))
    if (takesApp(command)) specs.push("1:app:_applogs_apps")
    if (command.words) specs.push(quoted(`1:word:(${command.words.join(" ")})`))
    return `    ${name}) _arguments ${specs.join(" ")} ;;`
  })
  return `#compdef applogs
_applogs_apps() {
  compadd -- $(${APPS})
}
_applogs() {
  local -a commands=(${names.join(" ")})
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${cases.join("\n")}
  esac
}
compdef _applogs applogs
`
}

function zshFlag(flag: string, option: Option): string {
  const help = option.help.replaceAll(/[`[\]:]/g, "")
  if (option.kind === "switch") return quoted(`${flag}[${help}]`)
  const values = option.kind === "choice" ? `(${option.values.join(" ")})` : ""
  return quoted(`${flag}=[${help}]:${option.value}:${isPath(option) ? "_files" : values}`)
}

function fish(commands: Commands): string {
  const lines = Object.entries(commands).flatMap(([name, command]) => {
    const only = `complete -c applogs -n '__fish_seen_subcommand_from ${name}'`
    const flags = flagsOf(command).map(([flag, option]) => {
      const values = option.kind === "choice" ? ` -fa '${option.values.join(" ")}'` : ""
      const takes = option.kind === "switch" ? "" : ` -r${isPath(option) ? "F" : values}`
      return `${only} -l ${flag.slice(2)}${takes} -d ${quoted(option.help.replaceAll("`", ""))}`
    })
    const apps = takesApp(command) ? [`${only} -a ${quoted(`(${APPS})`)}`] : []
    const words = command.words ? [`${only} -a '${command.words.join(" ")}'`] : []
    const itself = `complete -c applogs -n __fish_use_subcommand -a ${name} -d ${quoted(command.summary)}`
    return [itself, ...apps, ...words, ...flags]
  })
  return `complete -c applogs -f\n${lines.join("\n")}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
