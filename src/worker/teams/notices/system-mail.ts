import { and, eq, lt } from "drizzle-orm"
import { html } from "hono/html"
import type { Mailbox } from "../../../lib/address.ts"
import { firstIdAt, newId } from "../../../lib/id.ts"
import { logError } from "../../../lib/log.ts"
import { HOUR_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { createProvider } from "../../providers/create-provider.ts"
import { sandboxMessages } from "../../providers/sandbox/table.ts"

/** No team has this id, so no team sees the service's own mail. */
const SYSTEM_TEAM = "system"
/** Nothing keeps this mail, so a provider that is busy just then is asked again at once. */
const WAITS_MS = [1_000, 3_000, 9_000]

interface SystemMail {
  to: string
  subject: string
  before: string[]
  link: string
  after: string[]
}

/**
 * Hands mail with a secret link straight to the provider. The mail has no record: a link in the
 * mail log would let members of a team take over each other's accounts.
 */
export async function sendSystemMail(work: Work, from: Mailbox, mail: SystemMail): Promise<void> {
  const provider = createProvider(work)
  const message = {
    teamId: SYSTEM_TEAM,
    emailId: newId("email", work.now()),
    from,
    to: [{ address: mail.to }],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: mail.subject,
    text: [...mail.before, mail.link, ...mail.after].join("\n\n"),
    html: toHtml(mail),
    headers: {},
    attachments: [],
    tags: {},
  }
  try {
    for (const [index, wait] of [0, ...WAITS_MS].entries()) {
      await scheduler.wait(wait)
      const result = await provider.send({ ...message, attempt: index + 1 })
      if (result.ok) return
      if (!result.retryable) break
    }
    logError(new Error("The provider did not take the service's own mail"), {
      emailId: message.emailId,
    })
  } finally {
    await provider.close?.()
  }
}

const toHtml = ({ before, link, after }: SystemMail) =>
  String(
    html`${before.map((text) => html`<p>${text}</p>`)}<p><a href="${link}">${link}</a></p>${after.map((text) => html`<p>${text}</p>`)}`,
  )

/** The sandbox also keeps mail with secret links, so this mail is deleted after an hour. */
export const forgetSystemMail = (work: Work) =>
  work.db
    .delete(sandboxMessages)
    .where(
      and(
        eq(sandboxMessages.teamId, SYSTEM_TEAM),
        lt(sandboxMessages.emailId, firstIdAt("email", work.now() - HOUR_MS)),
      ),
    )
