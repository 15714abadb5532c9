import type { Resend } from "resend"
import { makeInbox, messageTo, receive } from "../../support/receiving.ts"
import type { Team } from "../../support/team.ts"

export interface Given {
  resend: Resend
  team: Team
}

type Call = (given: Given) => PromiseLike<unknown>

const ID = "00000000-0000-0000-0000-000000000000"
const WHO = { email: "ada@example.com" }
const INBOX = { inboxId: ID }
export const message = ({ team }: Given) => ({
  from: `Ada <ada@${team.domain}>`,
  to: "success@simulator.amazonses.com",
  subject: "Hello",
  html: "<p>Hello</p>",
})

export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** A message with a text file and a picture. */
export const withFiles = (address: string) =>
  messageTo(
    address,
    ['Content-Type: multipart/mixed; boundary="x"'],
    [
      ...["--x", "Content-Type: text/plain", "", "See the files."],
      ...["--x", 'Content-Disposition: attachment; filename="a b.txt"', "", "Total: 5"],
      ...["--x", "Content-Type: image/png; name=logo.png", "Content-ID: <logo@x>"],
      ...["Content-Transfer-Encoding: base64", "", "iVBORw==", "--x--", ""],
    ].join("\r\n"),
  )

/** The data of a call that succeeds. */
export async function ok<T>(
  call: PromiseLike<{ data: T; error: null } | { data: null; error: object }>,
): Promise<T> {
  const { data, error } = await call
  if (error) throw new Error(JSON.stringify(error), { cause: error })
  return data as T
}

export const made = {
  later: (given: Given) =>
    ok(given.resend.emails.send({ ...message(given), scheduledAt: inAnHour() })),
  async received({ team }: Given): Promise<string> {
    const { address } = await makeInbox(team)
    return (await receive(team, address, withFiles(address))).id
  },
  segment: ({ resend }: Given) => ok(resend.segments.create({ name: "Readers" })),
  contact: ({ resend }: Given) => ok(resend.contacts.create({ email: WHO.email })),
  property: ({ resend }: Given) =>
    ok(resend.contactProperties.create({ key: "city", type: "string" })),
  import: ({ resend }: Given) =>
    ok(resend.contacts.imports.create({ file: new Blob([`email\n${WHO.email}`]) })),
  topic: ({ resend }: Given) =>
    ok(resend.topics.create({ name: "News", defaultSubscription: "opt_out" })),
  domain: ({ resend }: Given) =>
    ok(resend.domains.create({ name: `mail-${Math.random().toString(36).slice(2)}.test` })),
  key: ({ resend }: Given) => ok(resend.apiKeys.create({ name: "CI" })),
  suppression: ({ resend }: Given) => ok(resend.suppressions.add(WHO)),
  async automation(given: Given) {
    const { id } = await made.template(given)
    const { from } = message(given)
    const config = { template: { id }, from }
    return ok(
      given.resend.automations.create({
        name: "Welcome",
        steps: [
          { key: "start", type: "trigger", config: { eventName: "user.created" } },
          { key: "hello", type: "send_email", config },
        ],
        connections: [{ from: "start", to: "hello" }],
      }),
    )
  },
  template: ({ resend }: Given) =>
    ok(resend.templates.create({ name: "Welcome", subject: "Hi", html: "<p>{{{NAME}}}</p>" })),
  webhook: ({ resend }: Given) =>
    ok(
      resend.webhooks.create({
        endpoint: "https://hooks.example.com/resend",
        events: ["email.delivered"],
      }),
    ),
  async broadcast(given: Given) {
    const { resend, team } = given
    const { id: segmentId } = await made.segment(given)
    const from = `News <news@${team.domain}>`
    return ok(resend.broadcasts.create({ segmentId, from, subject: "News", html: "<p>News</p>" }))
  },
}

/** A call for each method that has a counterpart. */
export const MAPPED: Record<string, Call> = {
  "topics.create": ({ resend }) =>
    resend.topics.create({ name: "News", defaultSubscription: "opt_in" }),
  "topics.list": ({ resend }) => resend.topics.list(),
  "topics.get": async (given) => given.resend.topics.get((await made.topic(given)).id),
  "topics.update": async (given) =>
    given.resend.topics.update({ id: (await made.topic(given)).id, name: "Offers" }),
  "topics.remove": async (given) => given.resend.topics.remove((await made.topic(given)).id),
  "contacts.topics.list": async (given) => {
    await made.contact(given)
    return given.resend.contacts.topics.list(WHO)
  },
  "contacts.topics.update": async (given) => {
    await made.contact(given)
    const { id } = await made.topic(given)
    return given.resend.contacts.topics.update({ ...WHO, topics: [{ id, subscription: "opt_in" }] })
  },
  "contactProperties.create": async (given) => ({ data: await made.property(given), error: null }),
  "contactProperties.list": ({ resend }) => resend.contactProperties.list(),
  "contactProperties.get": async (given) =>
    given.resend.contactProperties.get((await made.property(given)).id),
  "contactProperties.update": async (given) =>
    given.resend.contactProperties.update({
      ...{ id: (await made.property(given)).id, fallbackValue: "London" },
    }),
  "contactProperties.remove": async (given) =>
    given.resend.contactProperties.remove((await made.property(given)).id),
  "contacts.imports.create": async (given) => ({ data: await made.import(given), error: null }),
  "contacts.imports.list": ({ resend }) => resend.contacts.imports.list(),
  "contacts.imports.get": async (given) =>
    given.resend.contacts.imports.get((await made.import(given)).id),
  "emails.send": (given) => given.resend.emails.send(message(given)),
  "emails.create": (given) => given.resend.emails.create(message(given)),
  "emails.get": async (given) => given.resend.emails.get((await made.later(given)).id),
  "emails.list": ({ resend }) => resend.emails.list(),
  "emails.update": async (given) =>
    given.resend.emails.update({ id: (await made.later(given)).id, scheduledAt: inAnHour() }),
  "emails.cancel": async (given) => given.resend.emails.cancel((await made.later(given)).id),
  "emails.metrics": ({ resend }) => resend.emails.metrics(),
  "automations.create": async (given) => ({ data: await made.automation(given), error: null }),
  "automations.list": ({ resend }) => resend.automations.list({ status: "enabled" }),
  "automations.get": async (given) =>
    given.resend.automations.get((await made.automation(given)).id),
  "automations.update": async (given) =>
    given.resend.automations.update((await made.automation(given)).id, { name: "Bye" }),
  "automations.duplicate": async (given) =>
    given.resend.automations.duplicate((await made.automation(given)).id),
  "automations.stop": async (given) =>
    given.resend.automations.stop((await made.automation(given)).id),
  "automations.remove": async (given) =>
    given.resend.automations.remove((await made.automation(given)).id),
  "automations.runs.list": async (given) =>
    given.resend.automations.runs.list({ automationId: (await made.automation(given)).id }),
  "automations.runs.get": async (given) => {
    const { id: automationId } = await made.automation(given)
    await made.contact(given)
    await ok(given.resend.automations.update(automationId, { status: "enabled" }))
    await ok(given.resend.events.send({ event: "user.created", ...WHO }))
    const { data } = await ok(given.resend.automations.runs.list({ automationId }))
    return given.resend.automations.runs.get({ automationId, runId: data[0]!.id })
  },
  "emails.receiving.list": ({ resend }) => resend.emails.receiving.list(),
  "emails.receiving.get": async (given) =>
    given.resend.emails.receiving.get(await made.received(given)),
  "emails.receiving.attachments.list": async (given) =>
    given.resend.emails.receiving.attachments.list({ emailId: await made.received(given) }),
  "emails.receiving.attachments.get": async (given) =>
    given.resend.emails.receiving.attachments.get({
      emailId: await made.received(given),
      id: "0",
    }),
  "emails.receiving.forward": async (given) => {
    const { from, to } = message(given)
    return given.resend.emails.receiving.forward({
      emailId: await made.received(given),
      ...{ from, to },
    })
  },
  "events.send": async (given) => {
    await made.contact(given)
    return given.resend.events.send({ event: "user.created", ...WHO, payload: { plan: "pro" } })
  },
  "batch.send": (given) => given.resend.batch.send([message(given)]),
  "batch.create": (given) => given.resend.batch.create([message(given)]),
  "domains.create": ({ resend }) => resend.domains.create({ name: "new.example.com" }),
  "domains.list": ({ resend }) => resend.domains.list(),
  "domains.get": ({ resend, team }) => resend.domains.get(team.domainId),
  "domains.verify": async (given) => given.resend.domains.verify((await made.domain(given)).id),
  "domains.remove": async (given) => given.resend.domains.remove((await made.domain(given)).id),
  "apiKeys.create": ({ resend }) => resend.apiKeys.create({ name: "CI" }),
  "apiKeys.list": ({ resend }) => resend.apiKeys.list(),
  "apiKeys.remove": async (given) => given.resend.apiKeys.remove((await made.key(given)).id),
  "contacts.create": ({ resend }) => resend.contacts.create(WHO),
  "contacts.list": ({ resend }) => resend.contacts.list(),
  "contacts.get": async (given) => given.resend.contacts.get((await made.contact(given)).id),
  "contacts.update": async (given) => {
    const { id } = await made.contact(given)
    return given.resend.contacts.update({ id, unsubscribed: true })
  },
  "contacts.remove": async (given) => {
    await made.contact(given)
    return given.resend.contacts.remove(WHO)
  },
  "contacts.segments.list": async (given) => {
    await made.contact(given)
    return given.resend.contacts.segments.list(WHO)
  },
  "contacts.segments.add": async (given) => {
    await made.contact(given)
    const { id } = await made.segment(given)
    return given.resend.contacts.segments.add({ ...WHO, segmentId: id })
  },
  "contacts.segments.remove": async (given) => {
    const { id: segmentId } = await made.segment(given)
    await ok(given.resend.contacts.create({ ...WHO, segments: [{ id: segmentId }] }))
    return given.resend.contacts.segments.remove({ ...WHO, segmentId })
  },
  ...ofSegments("segments"),
  ...ofSegments("audiences"),
  "broadcasts.create": async (given) => ({ data: await made.broadcast(given), error: null }),
  "broadcasts.update": async (given) =>
    given.resend.broadcasts.update((await made.broadcast(given)).id, { html: "<p>Old</p>" }),
  "broadcasts.list": ({ resend }) => resend.broadcasts.list(),
  "broadcasts.get": async (given) => given.resend.broadcasts.get((await made.broadcast(given)).id),
  "broadcasts.send": async (given) =>
    given.resend.broadcasts.send((await made.broadcast(given)).id, { scheduledAt: inAnHour() }),
  "broadcasts.cancel": async (given) => {
    const { id } = await made.broadcast(given)
    await ok(given.resend.broadcasts.send(id, { scheduledAt: inAnHour() }))
    return given.resend.broadcasts.cancel(id)
  },
  "broadcasts.remove": async (given) =>
    given.resend.broadcasts.remove((await made.broadcast(given)).id),
  "suppressions.add": ({ resend }) => resend.suppressions.add(WHO),
  "suppressions.list": ({ resend }) => resend.suppressions.list(),
  "suppressions.get": async (given) => {
    await made.suppression(given)
    return given.resend.suppressions.get(WHO.email)
  },
  "suppressions.remove": async (given) =>
    given.resend.suppressions.remove((await made.suppression(given)).id),
  "suppressions.batch.add": ({ resend }) => resend.suppressions.batch.add({ emails: [WHO.email] }),
  "suppressions.batch.remove": async (given) => {
    await made.suppression(given)
    return given.resend.suppressions.batch.remove({ emails: [WHO.email] })
  },
  "templates.create": ({ resend }) =>
    resend.templates.create({ name: "Welcome", subject: "Hi", html: "<p>Hi</p>" }),
  "templates.list": ({ resend }) => resend.templates.list(),
  "templates.get": async (given) => given.resend.templates.get((await made.template(given)).id),
  "templates.update": async (given) =>
    given.resend.templates.update((await made.template(given)).id, { html: "<p>Hey</p>" }),
  "templates.publish": async (given) =>
    given.resend.templates.publish((await made.template(given)).id),
  "templates.duplicate": async (given) =>
    given.resend.templates.duplicate((await made.template(given)).id),
  "templates.remove": async (given) =>
    given.resend.templates.remove((await made.template(given)).id),
  "webhooks.create": ({ resend }) =>
    resend.webhooks.create({ endpoint: "https://a.example.com", events: ["email.sent"] }),
  "webhooks.list": ({ resend }) => resend.webhooks.list(),
  "webhooks.get": async (given) => given.resend.webhooks.get((await made.webhook(given)).id),
  "webhooks.update": async (given) =>
    given.resend.webhooks.update((await made.webhook(given)).id, { status: "disabled" }),
  "webhooks.remove": async (given) => given.resend.webhooks.remove((await made.webhook(given)).id),
}

function ofSegments(name: "segments" | "audiences"): Record<string, Call> {
  return {
    [`${name}.create`]: ({ resend }) => resend[name].create({ name: "Readers" }),
    [`${name}.list`]: ({ resend }) => resend[name].list(),
    [`${name}.get`]: async (given) => given.resend[name].get((await made.segment(given)).id),
    [`${name}.update`]: async (given) =>
      given.resend[name].update((await made.segment(given)).id, { name: "Subscribers" }),
    [`${name}.remove`]: async (given) => given.resend[name].remove((await made.segment(given)).id),
  }
}

/** A call for each method without a counterpart. */
export const REFUSED: Record<string, Call> = {
  "apiKeys.update": ({ resend }) => resend.apiKeys.update(ID, { name: "Deploy" }),
  "broadcasts.duplicate": ({ resend }) => resend.broadcasts.duplicate(ID),
  "broadcasts.recipients": ({ resend }) => resend.broadcasts.recipients(ID, { type: "opened" }),
  "broadcasts.clickedLinks": ({ resend }) => resend.broadcasts.clickedLinks(ID),
  "domains.update": ({ resend }) => resend.domains.update({ id: ID, openTracking: true }),
  "domains.claims.create": ({ resend }) => resend.domains.claims.create({ name: "example.com" }),
  "domains.claims.get": ({ resend }) => resend.domains.claims.get(ID),
  "domains.claims.verify": ({ resend }) => resend.domains.claims.verify(ID),
  "emails.share": ({ resend }) => resend.emails.share(ID),
  "emails.attachments.get": ({ resend }) => resend.emails.attachments.get({ emailId: ID, id: ID }),
  "emails.attachments.list": ({ resend }) => resend.emails.attachments.list({ emailId: ID }),
  "events.create": ({ resend }) => resend.events.create({ name: "user.created" }),
  "events.get": ({ resend }) => resend.events.get("user.created"),
  "events.list": ({ resend }) => resend.events.list(),
  "events.update": ({ resend }) => resend.events.update(ID, { schema: null }),
  "events.remove": ({ resend }) => resend.events.remove(ID),
  "inboxes.create": ({ resend }) => resend.inboxes.create({ emailAddress: WHO.email }),
  "inboxes.list": ({ resend }) => resend.inboxes.list(),
  "inboxes.get": ({ resend }) => resend.inboxes.get(ID),
  "inboxes.update": ({ resend }) => resend.inboxes.update(ID, { name: "Support" }),
  "inboxes.remove": ({ resend }) => resend.inboxes.remove(ID),
  "inboxes.threads.list": ({ resend }) => resend.inboxes.threads.list(INBOX),
  "inboxes.threads.search": ({ resend }) =>
    resend.inboxes.threads.search({ ...INBOX, query: "invoice" }),
  "inboxes.threads.get": ({ resend }) => resend.inboxes.threads.get({ ...INBOX, threadId: ID }),
  "inboxes.threads.update": ({ resend }) =>
    resend.inboxes.threads.update({ ...INBOX, threadId: ID, read: true }),
  "inboxes.threads.remove": ({ resend }) =>
    resend.inboxes.threads.remove({ ...INBOX, threadId: ID }),
  "inboxes.threads.emails.list": ({ resend }) =>
    resend.inboxes.threads.emails.list({ ...INBOX, threadId: ID }),
  "inboxes.threads.emails.get": ({ resend }) =>
    resend.inboxes.threads.emails.get({ ...INBOX, threadId: ID, emailId: ID }),
  "inboxes.threads.emails.reply": ({ resend }) =>
    resend.inboxes.threads.emails.reply({ ...INBOX, threadId: ID, emailId: ID, text: "Yes" }),
  "inboxes.threads.emails.forward": ({ resend }) =>
    resend.inboxes.threads.emails.forward({
      ...INBOX,
      threadId: ID,
      emailId: ID,
      to: [WHO.email],
      text: "See below",
    }),
  "inboxes.threads.labels.add": ({ resend }) =>
    resend.inboxes.threads.labels.add({ ...INBOX, threadId: ID, labels: [ID] }),
  "inboxes.threads.labels.set": ({ resend }) =>
    resend.inboxes.threads.labels.set({ ...INBOX, threadId: ID, labels: [ID] }),
  "inboxes.threads.labels.remove": ({ resend }) =>
    resend.inboxes.threads.labels.remove({ ...INBOX, threadId: ID, labelId: ID }),
  "inboxes.labels.list": ({ resend }) => resend.inboxes.labels.list(INBOX),
  "inboxes.labels.create": ({ resend }) =>
    resend.inboxes.labels.create({ ...INBOX, name: "Urgent", color: "#E93D82" }),
  "inboxes.labels.update": ({ resend }) =>
    resend.inboxes.labels.update({ ...INBOX, labelId: ID, name: "Later" }),
  "inboxes.labels.remove": ({ resend }) => resend.inboxes.labels.remove({ ...INBOX, labelId: ID }),
  "inboxes.drafts.list": ({ resend }) => resend.inboxes.drafts.list(INBOX),
  "inboxes.drafts.create": ({ resend }) =>
    resend.inboxes.drafts.create({ ...INBOX, to: [WHO.email], subject: "Hi", text: "Hi" }),
  "inboxes.drafts.get": ({ resend }) => resend.inboxes.drafts.get({ ...INBOX, draftId: ID }),
  "inboxes.drafts.update": ({ resend }) =>
    resend.inboxes.drafts.update({ ...INBOX, draftId: ID, subject: "Hey" }),
  "inboxes.drafts.remove": ({ resend }) => resend.inboxes.drafts.remove({ ...INBOX, draftId: ID }),
  "inboxes.drafts.send": ({ resend }) => resend.inboxes.drafts.send({ ...INBOX, draftId: ID }),
  "inboxes.agent.get": ({ resend }) => resend.inboxes.agent.get(INBOX),
  "inboxes.agent.update": ({ resend }) =>
    resend.inboxes.agent.update({ ...INBOX, instructions: "Be brief" }),
  "logs.list": ({ resend }) => resend.logs.list(),
  "logs.get": ({ resend }) => resend.logs.get(ID),
  "oauthGrants.list": ({ resend }) => resend.oauthGrants.list(),
  "oauthGrants.revoke": ({ resend }) => resend.oauthGrants.revoke(ID),
  "usage.get": ({ resend }) => resend.usage.get(),
  "webhooks.rotateSigningSecret": ({ resend }) => resend.webhooks.rotateSigningSecret(ID),
  "webhooks.events.list": ({ resend }) => resend.webhooks.events.list({ webhookId: ID }),
  "webhooks.events.get": ({ resend }) => resend.webhooks.events.get({ webhookId: ID, eventId: ID }),
  "webhooks.events.replay": ({ resend }) =>
    resend.webhooks.events.replay({ webhookId: ID, eventId: ID }),
  "webhooks.events.attempts.list": ({ resend }) =>
    resend.webhooks.events.attempts.list({ webhookId: ID, eventId: ID }),
}
