import { and, eq } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import { inShare, lightRows } from "../http/light-page.ts"
import type { Properties } from "./shapes.ts"
import { contacts } from "./table.ts"

const { properties } = contacts

interface Light {
  bookId: string
  id: string
  properties: Properties | null
}
type Whole<Row> = Row & { properties: Properties }

/** Properties, or null if they have more bytes than their share of a page. */
export const sharedProperties = (limit: number) => inShare({ properties }, limit)

export const lightContacts = <Row extends Light>(ctx: Ctx, rows: readonly Row[], limit: number) =>
  lightRows(
    rows,
    limit,
    (row): row is Whole<Row> => row.properties !== null,
    async (row): Promise<Whole<Row>[]> => {
      const { teamId, bookId, id } = contacts
      const isSame = and(eq(teamId, ctx.team), eq(bookId, row.bookId), eq(id, row.id))
      const [found] = await ctx.batch([ctx.db.select({ properties }).from(contacts).where(isSame)])
      return found.map((read) => ({ ...row, ...read }))
    },
  )
