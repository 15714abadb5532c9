import type { Email } from "../../../client/types.ts"
import { type Marks, readMarksOf } from "./search/marks.ts"

interface ExportedEmail extends Email {
  marks: Marks | undefined
}

const EMAILS_A_CALL = 100

/** Adds why emails bounced or failed. */
export async function* withReasons(
  emails: AsyncIterable<Email> | Iterable<Email>,
): AsyncGenerator<ExportedEmail> {
  let part: Email[] = []
  for await (const email of emails) {
    part.push(email)
    if (part.length < EMAILS_A_CALL) continue
    yield* await addReasons(part)
    part = []
  }
  yield* await addReasons(part)
}

async function addReasons(emails: readonly Email[]): Promise<ExportedEmail[]> {
  const ids = emails
    .filter(({ status }) => status === "bounced" || status === "failed")
    .map(({ id }) => id)
  const marks = ids.length === 0 ? undefined : await readMarksOf(ids)
  return emails.map((email) => ({ ...email, marks: marks?.get(email.id) }))
}

/** The columns of an export of emails. */
export const EXPORTED: Record<string, (email: ExportedEmail) => string | null> = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt,
  sent_at: ({ sentAt }) => sentAt,
  status: ({ status }) => status,
  from: ({ from }) => from,
  to: ({ to }) => to.join(", "),
  cc: ({ cc }) => cc.join(", "),
  bcc: ({ bcc }) => bcc.join(", "),
  subject: ({ subject }) => subject,
  tags: ({ tags }) =>
    Object.entries(tags)
      .map(([key, value]) => `${key}:${value}`)
      .join(" "),
  campaign_id: ({ campaignId }) => campaignId,
  template_id: ({ templateId }) => templateId,
  last_error: ({ lastError }) => lastError,
  bounce_class: ({ marks }) =>
    marks?.bounceType ? (marks.bounceType === "Permanent" ? "hard" : "soft") : null,
  bounce_reason: ({ marks }) => marks?.reason ?? null,
  diagnostic: ({ marks }) => marks?.diagnostic ?? null,
}
