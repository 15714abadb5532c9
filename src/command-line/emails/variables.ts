import { isPlainObject } from "../../lib/json.ts"
import { readData } from "../api.ts"
import { UsageError } from "../terminal/failure.ts"
import { toPairs } from "../terminal/options.ts"
import type { Terminal } from "../terminal/terminal.ts"

type Variables = Record<string, unknown>

/** The values for a template: those of `--variables`, which have types, then those of `--variable`. */
export async function readVariables(
  { variables, variable }: { variables?: string; variable?: string[] },
  terminal: Terminal,
): Promise<Variables | undefined> {
  if (variables === undefined && !variable) return undefined
  const values = variables === undefined ? {} : await readData(variables, terminal, "--variables")
  if (!isPlainObject(values)) throw new UsageError("--variables needs a JSON object.")
  for (const [name, value] of toPairs(variable ?? [], "=", "--variable")) set(values, name, value)
  return values
}

/** As the API reads names: `order.number` is the member `number` of `order`. */
function set(values: Variables, name: string, value: string): void {
  const groups = name.split(".")
  const last = groups.pop() ?? ""
  let group = values
  for (const one of groups) {
    // Without a prototype, so that no name reaches one.
    if (!Object.hasOwn(group, one)) group[one] = Object.create(null)
    const inner = group[one]
    if (!isPlainObject(inner))
      throw new UsageError(`--variable ${name}: ${one} has a value itself.`)
    group = inner
  }
  if (isPlainObject(group[last])) {
    throw new UsageError(`--variable ${name}: there are values below ${name}.`)
  }
  group[last] = value
}
