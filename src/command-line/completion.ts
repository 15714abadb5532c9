import { type Command, InvalidArgumentError } from "commander"
import { createPrint } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import type { Terminal } from "./terminal/terminal.ts"

export function addCompletion(program: Command, terminal: Terminal): void {
  const command = program
    .command("completion")
    .summary("print the completion of a shell")
    .description("Print a script that completes commands and options: source it in your shell.")
    .argument("<shell>", "bash, zsh or fish", toShell)
    .action((shell: Shell) => {
      const script = SCRIPTS[shell](placesOf(program))
      createPrint(command, terminal)({ shell, script }, script)
    })
  withExamples(
    command,
    "edgepost completion bash",
    "edgepost completion zsh",
    "edgepost completion fish",
  )
}

/** A command, and the words that may follow. */
interface Place {
  /** The words of the command, such as `emails list`. Empty at the top. */
  words: string
  next: { word: string; description: string }[]
}

export function placesOf(command: Command, words = ""): Place[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
  const next = [
    ...commands.map((one) => ({ word: one.name(), description: help.subcommandDescription(one) })),
    ...options.map((one) => ({
      word: one.long ?? one.flags,
      description: help.optionDescription(one),
    })),
  ]
  const below = commands.filter((one) => one.name() !== "help")
  return [
    { words, next: next.map((one) => ({ ...one, description: firstLine(one.description) })) },
    ...below.flatMap((one) => placesOf(one, `${words} ${one.name()}`.trim())),
  ]
}

const firstLine = (text: string) => text.split("\n", 1)[0] ?? ""

type Shell = keyof typeof SCRIPTS

function toShell(text: string): Shell {
  if (Object.hasOwn(SCRIPTS, text)) return text as Shell
  throw new InvalidArgumentError("It must be bash, zsh or fish.")
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
/** The patterns of a shell's `case`: all commands below the top. */
const patterns = (places: readonly Place[], separator: string) =>
  places.flatMap(({ words }) => (words ? [quote(words)] : [])).join(separator)

/** For bash and zsh: finds the command in the typed words. */
const findPlace = (places: readonly Place[], typed: string) => `  for word in "\${${typed}}"; do
    case "\${place:+$place }$word" in
      ${patterns(places, "|")}) place="\${place:+$place }$word" ;;
    esac
  done`

const SCRIPTS = {
  bash: (places: readonly Place[]) => `_edgepost() {
  local place="" word
${findPlace(places, "COMP_WORDS[@]:1:COMP_CWORD-1")}
  case "$place" in
${places
  .map(({ words, next }) => {
    const list = next.map(({ word }) => word).join(" ")
    return `    ${quote(words)}) COMPREPLY=($(compgen -W ${quote(list)} -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`
  })
  .join("\n")}
  esac
}
complete -o default -F _edgepost edgepost`,

  zsh: (places: readonly Place[]) => `#compdef edgepost
_edgepost() {
  local place="" word
  local -a found
${findPlace(places, "(@)words[2,CURRENT-1]")}
  case "$place" in
${places
  .map(({ words, next }) => {
    const list = next.map(({ word, description }) =>
      quote(`${word}:${description.replaceAll(":", "\\:")}`),
    )
    return `    ${quote(words)}) found=(${list.join(" ")}) ;;`
  })
  .join("\n")}
  esac
  _describe edgepost found || _files
}
if [ "$funcstack[1]" = _edgepost ]; then _edgepost "$@"; else compdef _edgepost edgepost; fi`,

  fish: (places: readonly Place[]) => `function __edgepost_place
  set -l place ""
  for word in (commandline -opc)[2..-1]
    switch (string trim "$place $word")
      case ${patterns(places, " ")}
        set place (string trim "$place $word")
    end
  end
  echo $place
end
${places
  .flatMap(({ words, next }) =>
    next.map(({ word, description }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`
      const where = `-n 'test (__edgepost_place) = "${words}"'`
      return `complete -c edgepost ${where} ${what} -d ${quote(description)}`
    }),
  )
  .join("\n")}`,
}
