import { and, eq, sql } from "drizzle-orm"
import {
  createCampaignMail,
  type Filling,
  selectBodies,
  selectFillings,
} from "../../campaigns/sending/campaign-mail.ts"
import type { Ctx } from "../../platform/context.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import { composeMime } from "../../providers/mime.ts"
import { hasReportAddresses } from "../../received/reading/report-addresses.ts"
import { selectSequenceBodies, selectSequenceFillings } from "../../sequences/sending/fillings.ts"
import { teams } from "../../teams/table.ts"
import { type EmailContent, loadContent } from "../content.ts"
import { emailOrNotFound, selectEmail } from "../get.ts"
import { selectTakesReports } from "../sending/claim.sql.ts"
import { toMessage } from "../sending/message.ts"
import { textPartOf } from "../sending/text-part.ts"
import { type EmailRow, emailContents, emails } from "../table.ts"
import type { Tracked } from "../tracking/track-html.ts"
import type { ShownContent } from "./contract.ts"

export async function getEmailContent(ctx: Ctx, id: string): Promise<ShownContent> {
  const content = await readShown(ctx, id)
  return {
    ...content,
    attachments: content.attachments.map((attachment) => ({
      filename: attachment.filename,
      contentType: attachment.contentType ?? null,
      contentId: attachment.contentId ?? null,
      bytes: Buffer.byteLength(attachment.content, "base64"),
    })),
  }
}

export async function getEmailSource(ctx: Ctx, id: string) {
  const { email, content } = await readContent(ctx, id)
  const text = await textPartOf(content)
  const message = toMessage(email, { ...content, text })
  return { source: (await composeMime(message, email.createdAt)).toString("latin1") }
}

export async function getEmailAttachment(ctx: Ctx, id: string, position: string) {
  const content = await readShown(ctx, id)
  const index = /^\d{1,4}$/.test(position) ? Number(position) : -1
  const { filename, content: base64 } = orNotFound(content.attachments[index], "File")
  return { filename, content: base64 }
}

/** A whole message is taken apart. */
async function readShown(ctx: Ctx, id: string): Promise<EmailContent> {
  const { content } = await readContent(ctx, id)
  if (!content.raw) return content
  const { readParts } = await import("../raw/parts.ts")
  return readParts(content.raw)
}

/** What was sent is shown, whatever became of its campaign, its sequence and the contact's choices since. */
const asSent = (filling: Filling): Filling => ({
  ...filling,
  status: filling.bookId === null ? null : "active",
  isPaused: 0,
  sendWindow: null,
  subscribed: filling.subscribed === null ? null : 1,
  wantsTopic: 1,
})

/** A campaign's email has no content of its own: it is rendered from the campaign and the contact. */
export async function readContent(
  ctx: Ctx,
  id: string,
): Promise<{ email: EmailRow; content: EmailContent; tracked: Tracked }> {
  const asked = sql`(select ${ctx.team}, ${id})`
  const ofCampaign = sql`(select ${emails.teamId}, ${emails.id} from emails
    where ${emails.teamId} = ${ctx.team} and ${emails.id} = ${id} and ${emails.campaignId} is not null)`
  const [[row], [domain], [team], [stored], fillings, bodies, ofSequence, bodiesOfSequence] =
    await ctx.batch([
      selectEmail(ctx, id),
      selectTakesReports(ctx, ofCampaign),
      ctx.db
        .select({ opens: teams.trackOpens, clicks: teams.trackClicks })
        .from(teams)
        .where(eq(teams.id, ctx.team)),
      ctx.db
        .select()
        .from(emailContents)
        .where(and(eq(emailContents.teamId, ctx.team), eq(emailContents.emailId, id))),
      selectFillings(ctx, asked),
      selectBodies(ctx, asked),
      selectSequenceFillings(ctx, asked),
      selectSequenceBodies(ctx, asked),
    ])
  const email = emailOrNotFound(row)
  const content = email.campaignId
    ? await createCampaignMail(ctx, {
        fillings: [...fillings, ...ofSequence].map(asSent),
        bodies: [...bodies, ...bodiesOfSequence],
      })(email, { takesReports: hasReportAddresses(ctx.settings, domain) })
    : await loadContent(ctx.env, stored, email)
  return {
    email,
    content: orNotFound(content && "html" in content ? content : undefined, "Content"),
    tracked: {
      opens: email.trackOpens ?? team?.opens ?? false,
      clicks: email.trackClicks ?? team?.clicks ?? false,
    },
  }
}
