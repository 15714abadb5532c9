import { eq } from "drizzle-orm"
import { remember } from "../../lib/remember.ts"
import type { Work } from "../platform/context.ts"
import { databaseNumbers, hasOthers, workIn } from "../platform/db/databases.ts"
import { forms } from "./table.ts"

/** Where a form was found last. */
const known = remember(() => ({ database: 0 }), 10_000)

/** The same work in the database of the form. An address of a form names no database, so all are asked. */
export async function workOfForm(work: Work, id: string): Promise<Work> {
  if (!hasOthers(work.env)) return work
  const place = known(id)
  const numbers = databaseNumbers(work.env)
  const first = numbers.find((number) => number === place.database)
  const found =
    (first !== undefined && (await findIn(work, [first], id))) || (await findIn(work, numbers, id))
  place.database = found || 0
  return found ? workIn(work, found) : work
}

/** The first database that has it. One that does not answer delays nobody if another one has it. */
async function findIn(work: Work, numbers: readonly number[], id: string): Promise<number | null> {
  const asked = numbers.map(async (number) => {
    const rows = await workIn(work, number)
      .db.select({ id: forms.id })
      .from(forms)
      .where(eq(forms.id, id))
    if (rows.length === 0) throw new NotHere()
    return number
  })
  return Promise.any(asked).catch((error: AggregateError) => {
    const fault = error.errors.find((one) => !(one instanceof NotHere))
    if (fault) throw fault
    return null
  })
}

class NotHere extends Error {
  override name = "NotHere"
}
