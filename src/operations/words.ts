/** `--remote`, or `--remote=` with a name or a URL. */
export const REMOTE = /^--remote(?:=(\S+))?$/

/**
 * The words after a command, without its options. An option or a word that the command does not take
 * ends the program: it could mean another installation.
 */
export function readWords(usage: string, most: number, option: RegExp | null = REMOTE): string[] {
  const given = process.argv.slice(2)
  if (given.includes("--help")) {
    console.log(usage)
    process.exit()
  }
  const words = given.filter((word) => !word.startsWith("-"))
  const unknown = given.find((word) => word.startsWith("-") && !option?.test(word))
  if (unknown) endWithUsage(usage, `Unknown option '${unknown}'`)
  if (words.length > most) endWithUsage(usage, `'${words[most]}' is a word too many`)
  return words
}

export function endWithUsage(usage: string, fault?: string): never {
  if (fault) console.error(fault)
  console.log(usage)
  process.exit(1)
}
