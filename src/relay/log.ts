/** The fields of a log line: ids, numbers and codes, never content, addresses or passwords. */
type Fields = Record<string, string | number | boolean | null | readonly string[] | undefined>

export type Log = (event: string, fields?: Fields) => void

/** One JSON object a line. */
export const logTo =
  (write: (line: string) => void): Log =>
  (event, fields = {}) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), event, ...fields })}\n`)
