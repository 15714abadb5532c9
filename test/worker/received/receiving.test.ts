import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { messageTo, makeInbox, receive } from "../../support/receiving.ts"
import { makeTeam } from "../../support/team.ts"

it("takes a message, and shows what it says", async () => {
  const team = await makeTeam()
  const inbox = await makeInbox(team)
  const message = messageTo(inbox.address, ["Cc: Bob <bob@example.com>"], "Where is it?\r\n\r\n> old")
  const received = await receive(team, inbox.address, message)
  expect(received).toEqual({
    id: expect.stringMatching(/^rcv_/),
    inboxId: inbox.id,
    threadId: expect.stringMatching(/^thr_/),
    kind: "message",
    from: { email: "ada@example.com", name: "Ada Lovelace" },
    to: [{ email: inbox.address, name: null }],
    cc: [{ email: "bob@example.com", name: "Bob" }],
    replyTo: [],
    envelope: { from: "ada@example.com", to: inbox.address },
    subject: "Where is my order?",
    messageId: expect.stringMatching(/^<.*@example.com>$/),
    inReplyTo: null,
    references: [],
    attachments: [],
    sender: { state: "unverified", domain: null, dkim: [] },
    answersEmailId: null,
    parsed: true,
    size: message.length,
    read: false,
    createdAt: expect.any(String),
    text: "Where is it?\n\n> old",
    html: null,
    replyText: "Where is it?",
    headers: expect.arrayContaining([{ name: "Subject", value: "Where is my order?" }]),
  })
  const raw = await team.api.get(`/received-emails/${received.id}/raw`)
  expect(raw.headers.get("content-type")).toBe("message/rfc822")
  expect(raw.body).toBe(message)
})
