import { eq, sql } from "drizzle-orm"
import { layouts } from "../campaigns/layouts/table.ts"
import { campaigns } from "../campaigns/table.ts"
import { contactBooks } from "../contacts/table.ts"
import { domains } from "../domains/table.ts"
import { forms } from "../forms/table.ts"
import { images } from "../images/table.ts"
import type { Ctx } from "../platform/context.ts"
import { segments } from "../segments/table.ts"
import { templateDrafts, templates } from "../templates/table.ts"
import {
  MAX_FORMS_OF_TEAM,
  MAX_IMAGE_BYTES_OF_TEAM,
  MAX_ROWS_OF_TEAM,
  type Usage,
} from "./usage-contract.ts"

const COUNTED = {
  templates,
  templateDrafts,
  layouts,
  contactBooks,
  segments,
  forms,
  domains,
}

/** Triggers of the database refuse what is above the limits. */
export async function getUsage(ctx: Ctx): Promise<Usage> {
  const rows = Object.entries(COUNTED).map(([of, table]) =>
    ctx.db
      .select({ of: sql<string>`${of}`, used: sql<number>`count(*)` })
      .from(table)
      .where(eq(table.teamId, ctx.team)),
  )
  const drafts = ctx.db
    .select({ of: sql<string>`'campaignDrafts'`, used: sql<number>`count(*)` })
    .from(campaigns)
    .where(sql`${campaigns.teamId} = ${ctx.team} and ${campaigns.status} = 'draft'`)
  const ofImages = ctx.db
    .select({ count: sql<number>`count(*)`, bytes: sql<number>`ifnull(sum(${images.bytes}), 0)` })
    .from(images)
    .where(eq(images.teamId, ctx.team))
  const [[image], ...counted] = await ctx.batch([ofImages, drafts, ...rows])
  return {
    data: [
      ...counted.flat().map((one) => ({
        ...one,
        limit: one.of === "forms" ? MAX_FORMS_OF_TEAM : MAX_ROWS_OF_TEAM,
      })),
      { of: "images", used: image?.count ?? 0, limit: MAX_ROWS_OF_TEAM },
      { of: "imageBytes", used: image?.bytes ?? 0, limit: MAX_IMAGE_BYTES_OF_TEAM },
    ] as Usage["data"],
  }
}
