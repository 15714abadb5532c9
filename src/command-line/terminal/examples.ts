import type { Command } from "commander"

const examples = new WeakMap<Command, string[]>()

/** Shows examples at the end of the help of a command. A test runs each of them. */
export function withExamples(command: Command, ...lines: string[]): Command {
  examples.set(command, lines)
  return command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`)
}

export const examplesOf = (command: Command): string[] => [
  ...(examples.get(command) ?? []),
  ...command.commands.flatMap(examplesOf),
]
