import { DrizzleQueryError } from "drizzle-orm/errors"

type About = Record<string, string | number | boolean | null>

/**
 * One line of JSON, the only way in which the Worker logs. `about` names what happened by ids and
 * numbers: never by content, an address, a URL or a secret.
 */
export function log(level: "warn" | "error", about: About, error?: unknown): void {
  const line = JSON.stringify({
    level,
    ...about,
    ...(error !== undefined && describeError(error)),
  })
  if (level === "warn") console.warn(line)
  else console.error(line)
}

export const logError = (error: unknown, about: About = {}): void => log("error", about, error)

/** The message of a query error contains the bound values, so its cause is used. */
export function describeError(error: unknown): { error: string; stack?: string } {
  const shown = error instanceof DrizzleQueryError ? error.cause : error
  if (!(shown instanceof Error)) return { error: typeof shown }
  return { error: shown.message, ...(shown.stack && { stack: shown.stack }) }
}
