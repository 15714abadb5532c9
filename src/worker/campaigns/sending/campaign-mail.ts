import { type SQL, sql } from "drizzle-orm"
import {
  preferencesUrl,
  unsubscribeHeaders,
  unsubscribeUrl,
} from "../../contacts/links/recipient-link.ts"
import { contactBooks, contacts } from "../../contacts/table.ts"
import type { EmailContent } from "../../emails/content.ts"
import { type EmailRow, emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { placeOf } from "../../platform/db/databases.ts"
import { load, type Stored } from "../../platform/db/overflow.ts"
import { unsubscribeAddress } from "../../received/reading/report-addresses.ts"
import { openingOf, windowZone } from "../../sequences/definition/clock.ts"
import type { SendWindow } from "../../sequences/definition/steps-contract.ts"
import type { SequenceStatus } from "../../sequences/statuses.ts"
import type { MergeContact } from "../blocks/merge.ts"
import { type ComposedBody, isTooLong, MAX_PART_CHARACTERS, renderBody } from "../body.ts"
import type { CampaignStatus } from "../contract.ts"
import { campaignBodies, campaignRuns, campaigns } from "../table.ts"
import { itsTopic, wantsTopic } from "./wants-topic.ts"

/** What an email of a campaign or of a sequence is filled in from. */
export interface Filling {
  emailId: string
  bodyKey: string
  /** Null where there is nothing to be sent any more. */
  status: CampaignStatus | SequenceStatus | null
  isPaused: 0 | 1
  /** JSON: the window of a sequence. */
  sendWindow: string | null
  bookId: string
  mergeDefaults: string | null
  email: string
  firstName: string | null
  lastName: string | null
  properties: string
  subscribed: 0 | 1 | null
  wantsTopic: 0 | 1 | null
}

export type StoredBody = Stored & { key: string }

export interface CampaignMail {
  fillings: readonly Filling[]
  bodies: readonly StoredBody[]
}

/** Part of the claim: the campaign and the contact of each campaign email in `asked`. */
export const selectFillings = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<Filling>(sql`
    select ${emails.id} as emailId, ${emails.campaignId} as bodyKey, ${campaigns.status},
      null as sendWindow, ${campaigns.bookId} as bookId, ${campaigns.mergeDefaults} as mergeDefaults,
      exists (select 1 from ${campaignRuns} where ${campaignRuns.teamId} = ${campaigns.teamId}
        and ${campaignRuns.campaignId} = ${campaigns.id}
        and ${campaignRuns.pausedReason} is not null) as isPaused, ${contacts.email},
      ${contacts.firstName} as firstName, ${contacts.lastName} as lastName, ${contacts.properties},
        ${contacts.subscribed},
      ${wantsTopic(campaigns.topicId)} as wantsTopic
    from emails
    left join campaigns on ${campaigns.teamId} = ${emails.teamId} and ${campaigns.id} = ${emails.campaignId}
    ${itsTopic(campaigns.teamId, campaigns.topicId)}
    left join contacts
      on ${contacts.teamId} = ${campaigns.teamId} and ${contacts.bookId} = ${campaigns.bookId}
        and ${contacts.id} = ${emails.contactId}
        and exists (select 1 from contact_books where ${contactBooks.teamId} = ${campaigns.teamId}
        and ${contactBooks.id} = ${campaigns.bookId})
    where (${emails.teamId}, ${emails.id}) in ${asked} and ${emails.campaignId} is not null
      and ${emails.sequenceStep} is null`)

export const selectBodies = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db
    .select({
      key: campaignBodies.campaignId,
      body: campaignBodies.body,
      objectKey: campaignBodies.objectKey,
    })
    .from(campaignBodies)
    .where(
      sql`(${campaignBodies.teamId}, ${campaignBodies.campaignId}) in (
      select ${emails.teamId}, ${emails.campaignId} from emails
        where (${emails.teamId}, ${emails.id}) in ${asked})`,
    )

/** Whether the campaign or the sequence of an email is cancelled or deleted. */
export const isOfCancelled = ({ status }: Pick<Filling, "status">) =>
  status === null || status === "cancelled"

/** Why a campaign's email is not sent after all. */
export interface Withdrawn {
  withdrawn: "campaign_cancelled" | "sequence_ended" | "unsubscribed"
}

/** The email waits until its campaign or sequence is resumed, or until the window of a sequence opens. */
export interface Held {
  held: true
  until?: number
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
  const unpacked = new Map(bodies.map((body) => [body.key, once(() => unpack(work, body))]))

  return async (
    email: EmailRow,
    { takesReports = false } = {},
  ): Promise<EmailContent | Withdrawn | Held | Unsendable | null> => {
    const filling = fillingOf.get(email.id)
    if (!filling || isOfCancelled(filling)) {
      return { withdrawn: email.sequenceStep === null ? "campaign_cancelled" : "sequence_ended" }
    }
    if (filling.isPaused) return { held: true }
    if (!filling.subscribed || !filling.wantsTopic) return { withdrawn: "unsubscribed" }
    const until = opensAt(filling, work.now())
    if (until !== null) return { held: true, until }
    const body = await unpacked.get(filling.bodyKey)?.()
    return body ? toContent(work, email, filling, { body, takesReports }) : null
  }
}

/** When the window of its sequence opens; null if it is open. */
export function opensAt(
  { sendWindow, properties }: Pick<Filling, "sendWindow" | "properties">,
  now: number,
): number | null {
  if (sendWindow === null) return null
  const window = JSON.parse(sendWindow) as SendWindow
  const at = openingOf(window, windowZone(window, JSON.parse(properties)), now)
  return at > now ? at : null
}

function toContent(
  work: Work,
  email: EmailRow,
  filling: Filling,
  { body, takesReports }: { body: ComposedBody; takesReports: boolean },
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
  const defaults = { ...body.defaults, ...JSON.parse(filling.mergeDefaults ?? "{}") }
  const rendered = renderBody(body, contact, defaults, links)
  if (isTooLong(rendered)) return TOO_LONG
  const text = body.text.length > 0 ? rendered.text : null
  const address = takesReports ? unsubscribeAddress(work.settings, subscriber) : undefined
  const headers = unsubscribeHeaders(links.unsubscribeUrl, address)
  return { ...rendered, text, headers, attachments: [] }
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
