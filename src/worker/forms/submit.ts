import { and, eq, exists, sql } from "drizzle-orm"
import { untilWon } from "../../lib/until-won.ts"
import { ctxOfTeam } from "../access/team-ctx.ts"
import { type Asking, isNotAskedLately, keepConfirmation } from "../contacts/confirmation/ask.ts"
import { changeConsents } from "../contacts/consents/change-consents.ts"
import { strictest } from "../contacts/consents/choices.ts"
import { isContact } from "../contacts/contacts.ts"
import { createContactIf } from "../contacts/create.ts"
import { contactEvent } from "../contacts/events.ts"
import type { Submitted } from "../contacts/shapes.ts"
import { type ContactRow, contacts, nextUpdate } from "../contacts/table.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { ApiError } from "../platform/http/errors.ts"
import { storeEvents } from "../webhooks/events/store.ts"
import { type FormFacts, readFormFacts } from "./facts.ts"
import { forms } from "./table.ts"

interface Submission {
  formId: string
  email: string
  submitted: Submitted
  network: string | null
}

/**
 * Asks the person by mail, subscribes at once, or does nothing. The caller cannot tell which. Facts that
 * were read before count in the first try.
 */
export async function submit(work: Work, submission: Submission, read?: FormFacts): Promise<void> {
  let facts = read
  await untilWon(async () => {
    const known = facts ?? (await readFormFacts(work, submission.formId, submission.email))
    facts = undefined
    return known.form?.enabled ? act(work, submission, known, known.form) : true
  })
}

type Form = NonNullable<FormFacts["form"]>

/** Answers nothing if another call was faster. */
async function act(work: Work, submission: Submission, facts: FormFacts, form: Form) {
  const what = decide(facts, form)
  if (what === "nothing") return true
  const { contact } = facts
  const ctx = ctxOfTeam(work, form.teamId)
  const about = {
    formId: form.id,
    wording: form.wording,
    network: submission.network,
    topicIds: facts.topics.map(({ id }) => id),
    submitted: what === "ask" ? submission.submitted : {},
    byMail: what === "ask",
  }
  if (!contact) return create(ctx, submission, form, about)
  return what === "ask" ? ask(ctx, contact, about) : addTopics(ctx, contact, about)
}

export function decide(
  {
    contact,
    isSuppressed,
    hasRefused,
    choices,
    topics,
    wasAsked,
  }: Omit<FormFacts, "form" | "sender">,
  { confirm, defaultFrom }: Pick<Form, "confirm" | "defaultFrom">,
): "ask" | "subscribe" | "nothing" {
  if (isSuppressed) return "nothing"
  const wants = (id: string, byDefault: string) => contact?.topics[id] ?? byDefault === "subscribed"
  const isDone = contact?.subscribed && topics.every((one) => wants(one.id, one.default))
  if (isDone) return "nothing"
  const chosen = strictest(choices)
  const hasSaidNo =
    (contact ? !contact.subscribed : hasRefused) || topics.some(({ id }) => chosen[id] === false)
  if (!confirm && !hasSaidNo) return "subscribe"
  return wasAsked || defaultFrom === null ? "nothing" : "ask"
}

type About = Omit<Asking, "contact" | "at">

/** A post that was faster has made the contact. */
async function create(ctx: Ctx, { email, submitted }: Submission, form: Form, about: About) {
  const isPending = about.byMail
  const agreed = Object.fromEntries(about.topicIds.map((id) => [id, true]))
  const given = isPending ? {} : submitted
  return createContactIf(
    ctx,
    form.bookId,
    {
      email,
      firstName: given.firstName ?? null,
      lastName: given.lastName ?? null,
      properties: given.properties ?? {},
      subscribed: !isPending,
      topics: isPending ? {} : agreed,
    },
    {
      isPending,
      actor: { by: "form", actorId: form.id },
      alongside: (contact, condition) => [
        keepConfirmation(ctx, { ...about, contact, at: contact.createdAt }, condition),
        countAsked(ctx, contact, about, condition),
      ],
    },
  ).catch((error) => {
    if (error instanceof ApiError && error.code === "conflict") return undefined
    throw error
  })
}

/** An address that has unsubscribed becomes pending. A subscribed one is asked for topics. */
async function ask(ctx: Ctx, contact: ContactRow, about: About): Promise<true | undefined> {
  const at = nextUpdate(ctx, [contact])
  const becomesPending = !contact.subscribed && contact.confirmation !== "pending"
  const fresh = { ...contact, confirmation: "pending" as const, updatedAt: at }
  const isAsRead = and(
    isContact(ctx, contact.bookId, contact.id),
    eq(contacts.updatedAt, contact.updatedAt),
  )
  const condition = sql`(${exists(ctx.db.select({ id: contacts.id }).from(contacts).where(isAsRead))}
    and ${isNotAskedLately({ contact, at })})`
  const { won } = await commit(ctx, {
    won: ctx.db.all(sql`select 1 where ${condition}`),
    events: storeEvents(
      ctx,
      becomesPending ? [contactEvent(ctx, "pending", fresh)] : [],
      condition,
    ),
    count: countAsked(ctx, contact, about, condition),
    pending: becomesPending
      ? ctx.db
          .update(contacts)
          .set({ confirmation: "pending", updatedAt: at })
          .where(and(isAsRead, condition))
      : [],
    kept: keepConfirmation(
      ctx,
      { ...about, contact, at },
      sql`(${exists(
        ctx.db
          .select({ id: contacts.id })
          .from(contacts)
          .where(
            and(
              isContact(ctx, contact.bookId, contact.id),
              eq(contacts.updatedAt, becomesPending ? at : contact.updatedAt),
            ),
          ),
      )} and ${isNotAskedLately({ contact, at })})`,
    ),
  })
  return won.length > 0 ? true : undefined
}

/** For a subscribed contact that has chosen none of these topics yet. */
const addTopics = (ctx: Ctx, contact: ContactRow, about: About) =>
  changeConsents(
    ctx,
    {
      teamId: contact.teamId,
      actor: { by: "form", actorId: about.formId ?? null },
      reason: null,
      alongside: (condition) => [countAsked(ctx, contact, about, condition)],
    },
    [
      {
        old: contact,
        consent: {
          subscribed: true,
          topics: {
            ...contact.topics,
            ...Object.fromEntries(about.topicIds.map((id) => [id, true])),
          },
        },
      },
    ],
  )

const countAsked = (
  ctx: Ctx,
  { teamId }: Pick<ContactRow, "teamId">,
  { formId = "" }: About,
  condition: ReturnType<typeof sql>,
) =>
  ctx.db
    .update(forms)
    .set({ asked: sql`${forms.asked} + 1` })
    .where(and(eq(forms.teamId, teamId), eq(forms.id, formId), condition))
