import { type SQL, sql } from "drizzle-orm"
import {
  preferencesUrl,
  unsubscribeHeaders,
  unsubscribeUrl,
} from "../../contacts/recipient-link.ts"
import { b, c } from "../../contacts/table.ts"
import type { EmailContent } from "../../emails/content.ts"
import { type EmailRow, e } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { placeOf } from "../../platform/db/databases.ts"
import { load, type Stored } from "../../platform/db/overflow.ts"
import type { MergeContact } from "../blocks/merge.ts"
import { type ComposedBody, isTooLong, MAX_PART_CHARACTERS, renderBody } from "../body.ts"
import type { CampaignStatus } from "../contract.ts"
import { campaignBodies, campaignRuns, k } from "../table.ts"
import { itsTopic, wantsTopic } from "./wants-topic.ts"

interface Filling {
  emailId: string
  status: CampaignStatus | null
  isPaused: 0 | 1
  bookId: string
  mergeDefaults: string | null
  email: string
  firstName: string | null
  lastName: string | null
  properties: string
  subscribed: 0 | 1 | null
  wantsTopic: 0 | 1 | null
}

type Body = Stored & { campaignId: string }

export interface CampaignMail {
  fillings: readonly Filling[]
  bodies: readonly Body[]
}

/** Part of the claim: the campaign and the contact of each campaign email in `asked`. */
export const selectFillings = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<Filling>(sql`
    select ${e.id} as emailId, ${k.status}, ${k.bookId} as bookId, ${k.mergeDefaults} as mergeDefaults,
      exists (select 1 from ${campaignRuns} where ${campaignRuns.teamId} = ${k.teamId}
        and ${campaignRuns.campaignId} = ${k.id} and ${campaignRuns.pausedReason} is not null) as isPaused, ${c.email},
      ${c.firstName} as firstName, ${c.lastName} as lastName, ${c.properties}, ${c.subscribed},
      ${wantsTopic(k.topicId)} as wantsTopic
    from emails e
    left join campaigns k on ${k.teamId} = ${e.teamId} and ${k.id} = ${e.campaignId}
    ${itsTopic(k.teamId, k.topicId)}
    left join contacts c
      on ${c.teamId} = ${k.teamId} and ${c.bookId} = ${k.bookId} and ${c.id} = ${e.contactId}
        and exists (select 1 from contact_books b where ${b.teamId} = ${k.teamId} and ${b.id} = ${k.bookId})
    where (${e.teamId}, ${e.id}) in ${asked} and ${e.campaignId} is not null`)

export const selectBodies = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db
    .select()
    .from(campaignBodies)
    .where(
      sql`(${campaignBodies.teamId}, ${campaignBodies.campaignId}) in (
      select ${e.teamId}, ${e.campaignId} from emails e where (${e.teamId}, ${e.id}) in ${asked})`,
    )

/** Whether the campaign of an email is cancelled or deleted. */
export const isOfCancelled = ({ status }: Pick<Filling, "status">) =>
  status === null || status === "cancelled"

/** Why a campaign's email is not sent after all. */
export interface Withdrawn {
  withdrawn: "campaign_cancelled" | "unsubscribed"
}

/** The email waits until its campaign is resumed. */
export interface Held {
  held: true
}

/** Why a campaign's email cannot be sent. */
export interface Unsendable {
  unsendable: string
}

const TOO_LONG: Unsendable = {
  unsendable: `With the contact's values, this email has over ${MAX_PART_CHARACTERS} characters.`,
}

/** Renders the content of campaign emails. Each body is unpacked once. */
export function createCampaignMail(work: Work, { fillings, bodies }: CampaignMail) {
  const fillingOf = new Map(fillings.map((filling) => [filling.emailId, filling]))
  const unpacked = new Map(bodies.map((body) => [body.campaignId, once(() => unpack(work, body))]))

  return async (email: EmailRow): Promise<EmailContent | Withdrawn | Held | Unsendable | null> => {
    const filling = fillingOf.get(email.id)
    if (!filling || isOfCancelled(filling)) return { withdrawn: "campaign_cancelled" }
    if (filling.isPaused) return { held: true }
    if (!filling.subscribed || !filling.wantsTopic) return { withdrawn: "unsubscribed" }
    const body = await unpacked.get(email.campaignId ?? "")?.()
    return body ? toContent(work, email, filling, body) : null
  }
}

function toContent(
  work: Work,
  email: EmailRow,
  filling: Filling,
  body: ComposedBody,
): EmailContent | Unsendable {
  const subscriber = {
    teamId: email.teamId,
    email: email.recipients[0]?.address ?? filling.email,
    bookId: filling.bookId,
    emailId: email.id,
    ...(email.contactId && { contactId: email.contactId }),
    ...placeOf(work.env),
  }
  const links = {
    unsubscribeUrl: unsubscribeUrl(work.settings, subscriber),
    // Signed only where the text has it.
    get preferencesUrl() {
      return preferencesUrl(work.settings, subscriber)
    },
  }
  const contact: MergeContact = { ...filling, properties: JSON.parse(filling.properties) }
  const defaults = JSON.parse(filling.mergeDefaults ?? "{}") as Record<string, string>
  const rendered = renderBody(body, contact, defaults, links)
  if (isTooLong(rendered)) return TOO_LONG
  return { ...rendered, headers: unsubscribeHeaders(links.unsubscribeUrl), attachments: [] }
}

async function unpack(work: Work, stored: Stored): Promise<ComposedBody | null> {
  const bytes = await load(work.env, stored)
  return bytes && (JSON.parse(bytes.toString("utf8")) as ComposedBody)
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
