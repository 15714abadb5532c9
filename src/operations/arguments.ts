/** `--remote`, or `--remote=` with a name or a URL. */
export const REMOTE = /^--remote(?:=(\S+))?$/

/**
 * The words after a command, without its options. An option or a word that the command does not take
 * ends the program: it could mean another installation.
 */
export function readWords(
  usage: string,
  most: number,
  option: RegExp | null = REMOTE,
  valued: readonly string[] = [],
): string[] {
  const given = withoutValues(process.argv.slice(2), valued)
  if (given.includes("--help")) {
    console.log(usage)
    process.exit()
  }
  const words = given.filter((word) => !word.startsWith("-"))
  const unknown = given.find((word) => word.startsWith("-") && !option?.test(word))
  if (unknown) endWithUsage(usage, `Unknown option '${unknown}'`)
  if (words.length > most) endWithUsage(usage, `Unexpected argument '${words[most]}'`)
  return words
}

/** The value of an option such as `--databases 4` or `--databases=4`. */
export function readValue(option: string): string | undefined {
  const given = process.argv.slice(2)
  const at = given.findIndex((word) => word === option || word.startsWith(`${option}=`))
  return at < 0 ? undefined : (given[at]?.split("=")[1] ?? given[at + 1] ?? "")
}

const withoutValues = (given: readonly string[], valued: readonly string[]) =>
  given.filter(
    (word, at) =>
      !valued.includes(word.split("=")[0] ?? "") && !valued.includes(given[at - 1] ?? ""),
  )

export function endWithUsage(usage: string, fault?: string): never {
  if (fault) console.error(fault)
  console.log(usage)
  process.exit(1)
}
