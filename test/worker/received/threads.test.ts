import { expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { makeInbox, messageTo, receive } from "../../support/receiving.ts"
import { makeTeam, type Team } from "../../support/team.ts"

/** An email that the sandbox took, and the Message-ID that it left with. */
async function sent({ api, domain }: Team, input: object = {}) {
  const { body } = await api.post("/emails", {
    from: `support@${domain}`,
    to: "ada@example.com",
    subject: "Your order",
    text: "It has shipped.",
    ...input,
  })
  await eventually(async () => {
    expect((await api.get(`/emails/${body.id}`)).body.sentAt).not.toBeNull()
  })
  return { id: body.id as string, messageId: `<${body.id}@${domain}>` }
}

const messagesOf = async ({ api }: Team, threadId: string) => {
  const { body } = await api.get(`/threads/${threadId}/messages`)
  return body.data.map((one: { kind: "email" | "received" }) => ({
    ...one,
    id: (one as never as Record<string, { id: string }>)[one.kind]?.id,
  }))
}

const typesOf = async ({ api }: Team, emailId: string) =>
  (await api.get(`/emails/${emailId}`)).body.events.map(({ type }: { type: string }) => type)

it("a reply joins the email that it answers, and stands on its timeline", async () => {
  const team = await makeTeam()
  const { address, id: inboxId } = await makeInbox(team)
  const email = await sent(team)
  const first = await receive(
    team,
    address,
    messageTo(address, [`In-Reply-To: ${email.messageId}`]),
  )
  expect(first.answersEmailId).toBe(email.id)
  const { body } = await team.api.get(`/emails/${email.id}`)
  expect(body.status).not.toBe("replied")
  expect(body.events).toContainEqual(
    expect.objectContaining({ type: "replied", receivedId: first.id }),
  )
  const second = await receive(
    team,
    address,
    messageTo(address, [`References: <other@example.com>\r\n ${first.messageId}`]),
  )
  expect(second.threadId).toBe(first.threadId)
  expect((await team.api.get(`/threads/${first.threadId}`)).body).toEqual({
    id: first.threadId,
    inboxId,
    subject: "Where is my order?",
    participants: [
      { email: "ada@example.com", name: "Ada Lovelace" },
      { email: address, name: null },
    ],
    messageCount: 3,
    state: "open",
    lastMessageAt: second.createdAt,
    createdAt: expect.any(String),
  })
  expect((await messagesOf(team, first.threadId)).map(({ id }: { id: string }) => id)).toEqual([
    email.id,
    first.id,
    second.id,
  ])
})

it("finds an email by a Message-ID of its sender's own", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const messageId = `<order-42@${team.domain}>`
  const email = await sent(team, { messageId })
  const reply = await receive(team, address, messageTo(address, [`In-Reply-To: ${messageId}`]))
  expect(reply.answersEmailId).toBe(email.id)
})

it("the subject joins nothing, nor does an id of another team", async () => {
  const [team, other] = [await makeTeam(), await makeTeam()]
  const { address } = await makeInbox(team)
  const email = await sent(other)
  const one = await receive(team, address, messageTo(address))
  const two = await receive(team, address, messageTo(address, [`In-Reply-To: ${email.messageId}`]))
  expect(two.answersEmailId).toBeNull()
  expect(two.threadId).not.toBe(one.threadId)
  expect(await typesOf(other, email.id)).not.toContain("replied")
})

it("an automatic answer joins its thread and is no reply", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const email = await sent(team)
  const headers = [`In-Reply-To: ${email.messageId}`, "Auto-Submitted: auto-replied"]
  const received = await receive(team, address, messageTo(address, headers))
  expect(received).toMatchObject({ kind: "autoReply", answersEmailId: email.id })
  expect(await typesOf(team, email.id)).not.toContain("replied")
})

it("an answer goes to whoever wrote last, from the inbox, and joins the thread", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team, "support", { name: "Help" })
  const headers = ["References: <1@a.test> <2@a.test>", "Reply-To: desk@example.com"]
  const received = await receive(team, address, messageTo(address, headers))
  const done = await team.api.patch(`/threads/${received.threadId}`, { state: "done" })
  expect(done).toMatchObject({ status: 200, body: { state: "done" } })
  const reply = { text: "On its way.", cc: "bob@example.com", idempotencyKey: "once" }
  const path = `/threads/${received.threadId}/replies`
  const { body, status } = await team.api.post(path, reply)
  expect(status).toBe(201)
  expect((await team.api.post(path, reply)).body).toEqual(body)
  const { body: page } = await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
  expect(page.data[0]).toMatchObject({
    subject: "Re: Where is my order?",
    envelope: { to: ["desk@example.com", "bob@example.com"] },
    headers: {
      from: `Help <${address}>`,
      "in-reply-to": received.messageId,
      references: `<1@a.test> <2@a.test> ${received.messageId}`,
    },
  })
  const { body: thread } = await team.api.get(`/threads/${received.threadId}`)
  expect(thread).toMatchObject({ messageCount: 2, state: "done" })
  expect((await messagesOf(team, thread.id)).map(({ kind }: { kind: string }) => kind)).toEqual([
    "received",
    "email",
  ])
  const again = await receive(
    team,
    address,
    messageTo(address, [`In-Reply-To: <${body.id}@${team.domain}>`]),
  )
  expect(again).toMatchObject({ threadId: thread.id, answersEmailId: body.id })
  expect((await team.api.get(`/threads/${thread.id}`)).body.state).toBe("open")
})

it("an answer to a message goes to its sender, also after somebody else has written", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const answering = [`In-Reply-To: ${(await sent(team)).messageId}`]
  const ada = await receive(team, address, messageTo(address, answering))
  const fromBob = [...answering, "Reply-To: bob@example.com"]
  const bob = await receive(team, address, messageTo(address, fromBob))
  expect(bob.threadId).toBe(ada.threadId)
  const path = `/threads/${ada.threadId}/replies`
  for (const [receivedId, to] of [
    [ada.id, "Ada Lovelace <ada@example.com>"],
    [bob.id, "bob@example.com"],
    [undefined, "bob@example.com"],
  ]) {
    const { body } = await team.api.post(path, { receivedId, text: "Hi" })
    expect((await team.api.get(`/emails/${body.id}`)).body.to).toEqual([to])
  }
  const other = await receive(team, address, messageTo(address))
  const refused = await team.api.post(path, { receivedId: other.id, text: "Hi" })
  expect([refused.status, refused.body.error.details[0].path]).toEqual([400, ["receivedId"]])
})

it("a reply that is sent to another inbox of the team is in a thread of that one", async () => {
  const team = await makeTeam()
  const [support, billing] = [await makeInbox(team), await makeInbox(team, "billing")]
  const asked = await receive(team, support.address, messageTo(support.address))
  const { body } = await team.api.post(`/threads/${asked.threadId}/replies`, {
    text: "Ask billing.",
  })
  const answering = [`In-Reply-To: <${body.id}@${team.domain}>`]
  const first = await receive(team, billing.address, messageTo(billing.address, answering))
  const second = await receive(team, billing.address, messageTo(billing.address, answering))
  expect(first.answersEmailId).toBe(body.id)
  expect(second.threadId).toBe(first.threadId)
  const { body: thread } = await team.api.get(`/threads/${first.threadId}`)
  expect(thread).toMatchObject({ inboxId: billing.id, messageCount: 3 })
  const back = await receive(team, support.address, messageTo(support.address, answering))
  expect(back.threadId).toBe(asked.threadId)
})

it("an answer that is repeated after the next message is the first one", async () => {
  const team = await makeTeam()
  const { address, id } = await makeInbox(team)
  const { threadId, messageId } = await receive(team, address, messageTo(address))
  const path = `/threads/${threadId}/replies`
  const file = { filename: "bill.txt", content: "AAAA" }
  const reply = { text: "On its way.", attachments: [file], idempotencyKey: "once" }
  const { body: first } = await team.api.post(path, reply)
  const headers = [`In-Reply-To: ${messageId}`, "Reply-To: desk@example.com"]
  const next = await receive(team, address, messageTo(address, headers))
  expect(next.threadId).toBe(threadId)
  await team.api.patch(`/inboxes/${id}`, { name: "Help" })
  expect(await team.api.post(path, reply)).toMatchObject({ status: 200, body: first })
  for (const other of [
    { text: "Lost." },
    { cc: "bob@example.com" },
    { receivedId: next.id },
    { attachments: [{ ...file, content: "BBBB" }] },
  ]) {
    const { status, body } = await team.api.post(path, { ...reply, ...other })
    expect([status, body.error.code]).toEqual([409, "idempotency_conflict"])
  }
  const { threadId: otherThread } = await receive(team, address, messageTo(address))
  expect((await team.api.post(`/threads/${otherThread}/replies`, reply)).status).toBe(409)
})

it("answers from the address of a catch-all that the message was written to", async () => {
  const team = await makeTeam()
  const { forwardingAddress } = await makeInbox(team, "*")
  const sales = `sales@${team.domain}`
  for (const to of [sales, forwardingAddress]) {
    const { threadId } = await receive(team, to, messageTo(sales))
    const { body } = await team.api.post(`/threads/${threadId}/replies`, { text: "Hi" })
    const { body: email } = await team.api.get(`/emails/${body.id}`)
    expect(email.from).toBe(sales)
  }
  const hidden = await receive(team, forwardingAddress, messageTo("undisclosed@example.com"))
  const { body } = await team.api.post(`/threads/${hidden.threadId}/replies`, { text: "Hi" })
  expect(body.error).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("catch-all"),
  })
})

it("refuses an answer under the rules of a send", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const { threadId } = await receive(team, address, messageTo(address))
  const path = `/threads/${threadId}/replies`
  const file = { filename: "a", content: Buffer.alloc(6 * 1024 * 1024).toString("base64") }
  for (const [field, input] of [
    ["html", { cc: "a@example.com" }],
    ["cc", { text: "Hi", cc: Array.from({ length: 50 }, (_, at) => `a${at}@example.com`) }],
    ["attachments", { text: "Hi", attachments: [file, file] }],
  ] as const) {
    const { status, body } = await team.api.post(path, input)
    expect([status, body.error.details[0].path]).toEqual([400, [field]])
  }
  await team.api.post("/suppressions", { email: "ada@example.com" })
  expect((await team.api.post(path, { text: "Hi" })).status).toBe(422)
  expect((await team.api.get(`/threads/${threadId}`)).body.messageCount).toBe(1)
})

it("lists threads by their newest message, by inbox and by state", async () => {
  const team = await makeTeam()
  const [one, two] = [await makeInbox(team), await makeInbox(team, "sales")]
  const first = await receive(team, one.address, messageTo(one.address))
  const second = await receive(team, two.address, messageTo(two.address))
  const ids = async (query = "") =>
    (await team.api.get(`/threads${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await ids()).toEqual([second.threadId, first.threadId])
  await receive(team, one.address, messageTo(one.address, [`In-Reply-To: ${first.messageId}`]))
  expect(await ids()).toEqual([first.threadId, second.threadId])
  await team.api.patch(`/threads/${second.threadId}`, { state: "spam" })
  expect(await ids("?state=spam&state=done")).toEqual([second.threadId])
  expect(await ids(`?inboxId=${one.id}&state=open`)).toEqual([first.threadId])
  const { body } = await team.api.get("/threads?limit=1")
  expect(await ids(`?limit=1&cursor=${body.nextCursor}`)).toEqual([second.threadId])
  expect((await team.api.get("/threads?cursor=x")).status).toBe(400)
})

it("mail to an inbox of the installation arrives there", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const email = await sent(team, { to: address, from: `shop@${team.domain}` })
  const { body } = await team.api.get("/received-emails?wait=30")
  expect(body.data).toEqual([
    expect.objectContaining({
      subject: "Your order",
      messageId: email.messageId,
      envelope: { from: `shop@${team.domain}`, to: address },
    }),
  ])
})
