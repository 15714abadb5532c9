import { EdgepostError } from "../../api/api.ts"
import { messageOf } from "../form/error-box.tsx"
import { number } from "../numbers.ts"
import { sayError } from "../toast.tsx"

/** Does something to each row in turn and says how many failed. Returns the rows that did not. */
export async function doForEach<T>(
  rows: readonly T[],
  act: (row: T) => Promise<unknown>,
): Promise<T[]> {
  const done: T[] = []
  let first: unknown
  for (const row of rows) {
    try {
      await act(row)
      done.push(row)
    } catch (error) {
      first ??= error
      if (stopsAll(error)) break
    }
  }
  const failed = rows.length - done.length
  if (rows.length === 1 && first) sayError(first)
  else if (failed > 0)
    sayError(new Error(`${number(failed)} of ${number(rows.length)} failed. ${messageOf(first)}`))
  return done
}

/** The server cannot be reached, is too busy, or the person is signed out. */
const stopsAll = (error: unknown) =>
  !(error instanceof EdgepostError) || error.retryable || error.status === 401
