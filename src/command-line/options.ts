import { UsageError } from "./failure.ts"

/** For an option that may be given several times. */
export const repeated = (value: string, before: string[] = []) => [...before, value]

/** The pairs of texts such as `name=value`. */
export const toPairs = (
  texts: readonly string[],
  separator: string,
  option: string,
): [name: string, value: string][] =>
  texts.map((text) => {
    const at = text.indexOf(separator)
    if (at < 1) throw new UsageError(`${option} needs name${separator}value, not "${text}".`)
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  })
