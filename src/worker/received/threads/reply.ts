import { and, desc, eq, sql } from "drizzle-orm"
import type { Mailbox } from "../../../lib/address.ts"
import { ownAddress } from "../../../lib/inbox-address.ts"
import { truncate } from "../../../lib/text.ts"
import { sendEmail } from "../../emails/accept/send.ts"
import { emails } from "../../emails/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { conflict, invalid } from "../../platform/http/errors.ts"
import type { NamedAddress } from "../contract.ts"
import { addToThread } from "../reading/join-thread.ts"
import {
  inboxes,
  type ReceivedRow,
  receivedEmails,
  type ThreadRow,
  threadEmails,
} from "../table.ts"
import { readThread } from "./threads.ts"
import type { replyInThread as contract } from "./threads-contract.ts"

const MAX_REFERENCES = 20
const MAX_SUBJECT_CHARACTERS = 998

/** Answers a message of a thread, from its inbox: an ordinary email, which joins the thread. */
export async function replyInThread(ctx: Ctx, id: string, reply: InputOf<typeof contract>["json"]) {
  const { team } = await ctx.caller()
  const { receivedId, ...message } = reply
  const thread = await readThread(ctx, id)
  const [[answered], [inbox]] = await ctx.batch([
    ctx.db
      .select()
      .from(receivedEmails)
      .where(
        and(
          eq(receivedEmails.teamId, ctx.team),
          isOneOf(receivedEmails.id, thread.messages),
          receivedId === undefined ? undefined : eq(receivedEmails.id, receivedId),
        ),
      )
      .orderBy(sql`${receivedEmails.kind} = 'message' desc`, desc(receivedEmails.id))
      .limit(1),
    ctx.db
      .select()
      .from(inboxes)
      .where(and(eq(inboxes.teamId, ctx.team), eq(inboxes.id, thread.inboxId))),
  ])
  if (receivedId !== undefined && !answered) {
    throw invalid(["receivedId"], "Not a received email of the thread")
  }
  const [to] = answered?.details.replyTo?.length ? answered.details.replyTo : [answered?.sender]
  if (!answered || !inbox || !to?.email) throw conflict("Nobody has written in the thread.")
  const { to: named = [], cc: copied = [] } = answered.details
  const from = ownAddress(inbox.address, [
    answered.envelopeTo,
    ...[...named, ...copied].map(({ email }) => email),
  ])
  if (!from) throw conflict("The message names no address of the catch-all's domain.")
  const { text, html, cc } = message
  const input = {
    ...message,
    // Who wrote last, and the name of the inbox, may be others when the call is repeated.
    given: { threadId: id, receivedId, text, html, cc },
    from: {
      address: from,
      ...(inbox.name && { name: inbox.name }),
    },
    to: [toMailbox(to)],
    bcc: [],
    replyTo: [],
    subject: replySubject(thread.subject),
    headers: headersOf(answered),
    tags: {},
    scheduledAt: undefined,
    overrideSuppression: false,
    onSuppressed: undefined,
  }
  return sendEmail(ctx, input, undefined, (ids) =>
    ids.flatMap((emailId) => joinThread(ctx, team.id, { thread, emailId, people: [to] })),
  )
}

const toMailbox = ({ email, name }: NamedAddress): Mailbox => ({
  address: email,
  ...(name && { name }),
})

const replySubject = (subject: string) =>
  truncate(/^re:/i.test(subject) ? subject : `Re: ${subject}`, MAX_SUBJECT_CHARACTERS)

function headersOf({ messageId, details }: ReceivedRow): Record<string, string> {
  if (messageId === null) return {}
  const references = [...(details.references ?? []), messageId].slice(-MAX_REFERENCES)
  return { "In-Reply-To": messageId, References: references.join(" ") }
}

interface Joining {
  thread: ThreadRow
  emailId: string
  people: NamedAddress[]
}

function joinThread(ctx: Ctx, teamId: string, { thread, emailId, people }: Joining) {
  const isStored = sql`exists (
    select 1 from ${emails} where ${emails.teamId} = ${teamId} and ${emails.id} = ${emailId})`
  return [
    ctx.db.run(
      insertInto(threadEmails, { teamId, emailId, threadId: thread.id }, sql`where ${isStored}`),
    ),
    addToThread(ctx, {
      ...thread,
      people: JSON.stringify(people),
      messages: [emailId],
      at: ctx.now(),
      condition: isStored,
      reopens: false,
    }),
  ]
}
