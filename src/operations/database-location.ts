import { JURISDICTIONS } from "../worker/platform/env.ts"
import { endWithUsage, readValue } from "./arguments.ts"
import { LOCATIONS, MOST_DATABASES } from "./installation.ts"

export const LOCATION_OPTIONS = ["--jurisdiction", "--location"] as const
export const LOCATION_USAGE = `[--jurisdiction ${JURISDICTIONS.join("|")} | --location ${LOCATIONS.join("|")}]`

/** Where new databases are, of the command's options. */
export function readLocation(usage: string) {
  const jurisdiction = readOneOf(usage, "--jurisdiction", JURISDICTIONS)
  const location = readOneOf(usage, "--location", LOCATIONS)
  if (jurisdiction && location) endWithUsage(usage, "A jurisdiction leaves no choice of a location")
  return { ...(jurisdiction && { jurisdiction }), ...(location && { location }) }
}

function readOneOf<Value extends string>(
  usage: string,
  option: string,
  values: readonly Value[],
): Value | undefined {
  const given = readValue(option)
  const value = values.find((one) => one === given)
  if (given !== undefined && !value) endWithUsage(usage, `${option} is one of ${values.join(", ")}`)
  return value
}

/** A count or a number of databases. */
export function readNumber(usage: string, option: string, given: string): number {
  const number = /^\d+$/.test(given) ? Number(given) : 0
  if (number < 1 || number > MOST_DATABASES) {
    endWithUsage(usage, `${option} is a number from 1 to ${MOST_DATABASES}`)
  }
  return number
}
