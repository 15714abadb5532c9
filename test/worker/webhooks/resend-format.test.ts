import { Resend } from "resend"
import { Webhook } from "svix"
import { beforeAll, describe, expect, it } from "vitest"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { received } from "../../../src/worker/received/contract.ts"
import { fakeInternet, type Internet, type Received } from "../../support/internet.ts"
import { acceptForLater } from "../../support/mail.ts"
import type { Team } from "../../support/team.ts"
import {
  dispatch,
  domainEvent,
  endRest,
  happen,
  isSignedBy,
  never,
  openDashboard,
  setUp,
} from "./carrying.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

const subscribe = async (team: Team, url: string, events: string[], format = "resend") => {
  const { status, body } = await team.api.post("/webhooks", { url, events, format })
  expect(status).toBe(201)
  await endRest(body.id)
  return body as { id: string; secret: string }
}

/** As a receiver of Resend's webhooks is written by its documentation. */
const receive = ({ body, headers }: Received, webhookSecret: string) =>
  new Resend("re_123").webhooks.verify({
    payload: body,
    headers: {
      id: headers.get("svix-id") ?? "",
      timestamp: headers.get("svix-timestamp") ?? "",
      signature: headers.get("svix-signature") ?? "",
    },
    webhookSecret,
  })

const EMAIL_EVENTS = [
  "email.sent",
  "email.delivered",
  "email.delayed",
  "email.bounced",
  "email.complained",
  "email.opened",
  "email.clicked",
  "email.failed",
]

describe("a webhook in the format of Resend", () => {
  it("passes the verification of Resend and of svix", async () => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver()
    const { secret } = await subscribe(team, receiver.url, ["email.delivered"])
    const emailId = await acceptForLater(team)
    await recordEvents(work, [reportOf({ teamId: team.id, emailId }, "delivered", work.now())])
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    const [request = never()] = receiver.received()
    const event = receive(request, secret)
    expect(event).toMatchObject({ type: "email.delivered", data: { email_id: emailId } })
    const headers = Object.fromEntries(request.headers)
    expect(new Webhook(secret).verify(request.body, headers)).toEqual(event)
    expect(await isSignedBy(secret, request, work)).toBe(true)
    expect(() => receive({ ...request, body: `${request.body} ` }, secret)).toThrow()
    expect(request.headers.get("svix-id")).toBe(request.headers.get("svc-event-id"))
  })

  it("gets each event of an email in the form of Resend", async () => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver()
    const { secret } = await subscribe(team, receiver.url, EMAIL_EVENTS)
    const emailId = await acceptForLater(team, { tags: { kind: "welcome" } })
    const ref = { teamId: team.id, emailId }
    const now = work.now()
    const visit = { userAgent: "Mail/1", ip: "192.0.2.1" }
    await recordEvents(work, [
      reportOf(ref, "sent", now),
      reportOf(ref, "delayed", now + 1, { reason: "Mailbox full" }),
      reportOf(ref, "delivered", now + 2),
      reportOf(ref, "opened", now + 3, visit),
      reportOf(ref, "clicked", now + 4, { ...visit, url: "https://example.com/" }),
      reportOf(ref, "bounced", now + 5, {
        bounceType: "Permanent",
        bounceSubType: "Suppressed",
        diagnosticCode: "550 no such user",
      }),
      reportOf(ref, "failed", now + 6, { reason: "Refused" }),
      reportOf(ref, "complained", now + 7),
    ])
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    const events = receiver.received().map((request) => receive(request, secret))
    const { body: email } = await team.api.get(`/emails/${emailId}`)
    const data = {
      created_at: email.createdAt,
      email_id: emailId,
      message_id: `<${emailId}@${team.domain}>`,
      from: `Sender <sender@${team.domain}>`,
      to: ["someone@example.com"],
      subject: "Hello",
      tags: { kind: "welcome" },
    }
    const seen = { ipAddress: "192.0.2.1", userAgent: "Mail/1" }
    const at = (ms: number) => new Date(now + ms).toISOString()
    const bounce = { type: "Permanent", subType: "Suppressed", message: "550 no such user" }
    const expected: Record<string, object> = {
      "email.sent": data,
      "email.delivery_delayed": data,
      "email.delivered": data,
      "email.opened": { ...data, open: { ...seen, timestamp: at(3) } },
      "email.clicked": {
        ...data,
        click: { ...seen, timestamp: at(4), link: "https://example.com/" },
      },
      "email.bounced": { ...data, bounce },
      "email.failed": { ...data, failed: { reason: "Refused" } },
      "email.complained": data,
    }
    expect(Object.fromEntries(events.map(({ type, data }) => [type, data]))).toEqual(expected)
    expect(events).toHaveLength(8)
    for (const event of events) expect(event.created_at).toBe(new Date(work.now()).toISOString())
  })

  it.each([
    ["<t42@example.com>", "<t42@example.com>"],
    ["cf:t42@example.com", "<t42@example.com>"],
    ["0100-0000", "<0100-0000@email.amazonses.com>"],
  ])(
    "gets the Message-ID that the mail left with, by its provider's %s",
    async (providerMessageId, left) => {
      const { team, work, carried } = await setUp()
      const receiver = internet.receiver()
      const { secret } = await subscribe(team, receiver.url, ["email.sent", "email.delivered"])
      const ref = { teamId: team.id, emailId: await acceptForLater(team) }
      await recordEvents(work, [{ ...reportOf(ref, "sent", work.now()), providerMessageId }])
      await recordEvents(work, [reportOf(ref, "delivered", work.now())])
      await dispatch(
        work,
        (await carried()).map(({ ref }) => ref),
      )
      const events = receiver.received().map((request) => receive(request, secret))
      expect(events).toMatchObject(Array(2).fill({ data: { message_id: left } }))
    },
  )

  it("gets contacts flat, with `unsubscribed` in place of `subscribed`", async () => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver()
    const book = (await team.api.post("/contact-books", { name: "Readers" })).body.id
    const { body: contact } = await team.api.post(`/contact-books/${book}/contacts`, {
      email: "ada@example.com",
      firstName: "Ada",
    })
    const types = ["contact.created", "contact.unsubscribed"] as const
    const { secret } = await subscribe(team, receiver.url, [...types])
    await happen(
      work,
      domainEvent(work, team, { type: types[0], data: { contact } }),
      domainEvent(work, team, {
        type: types[1],
        data: { contact: { ...contact, subscribed: false } },
      }),
    )
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    const events = receiver.received().map((request) => receive(request, secret))
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      "contact.created",
      "contact.updated",
    ])
    expect(events.find(({ type }) => type === "contact.created")?.data).toEqual({
      id: contact.id,
      audience_id: book,
      segment_ids: [book],
      email: "ada@example.com",
      first_name: "Ada",
      last_name: null,
      unsubscribed: false,
      created_at: contact.createdAt,
      updated_at: contact.updatedAt,
    })
    expect(events.find(({ type }) => type === "contact.updated")?.data).toMatchObject({
      unsubscribed: true,
    })
  })

  it("tells of received mail whom it came for, also where it has no Message-ID", async () => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver()
    const { secret } = await subscribe(team, receiver.url, ["email.received"])
    const example = received.meta()?.example as object
    const data = { received: { ...example, messageId: null } }
    await happen(work, domainEvent(work, team, { type: "email.received", data }))
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    const [event] = receiver.received().map((request) => receive(request, secret))
    expect(event?.data).toMatchObject({
      received_for: ["support@mail.example.com"],
      message_id: "",
    })
  })

  it("shows the same body in the dashboard, and takes its format from a change", async () => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver()
    const { id } = await subscribe(team, receiver.url, ["email.sent"], "edgepost")
    expect((await team.api.get(`/webhooks/${id}`)).body.format).toBe("edgepost")
    const changed = await team.api.patch(`/webhooks/${id}`, { format: "resend" })
    expect(changed.body.format).toBe("resend")
    const emailId = await acceptForLater(team)
    await recordEvents(work, [reportOf({ teamId: team.id, emailId }, "sent", work.now())])
    const [{ ref } = never()] = await carried()
    await dispatch(work, [ref])
    const { body } = await openDashboard(team)("GET", `/deliveries/${ref.id}`)
    expect(body.payload).toEqual(JSON.parse(receiver.received()[0]?.body ?? ""))
    expect(body.payload.data.email_id).toBe(emailId)
  })
})

describe("any other webhook", () => {
  it("has no headers of svix, and keeps its shape", async () => {
    const { team, work, carried } = await setUp()
    const receiver = internet.receiver()
    await subscribe(team, receiver.url, ["email.sent"], "edgepost")
    const emailId = await acceptForLater(team)
    await recordEvents(work, [reportOf({ teamId: team.id, emailId }, "sent", work.now())])
    await dispatch(
      work,
      (await carried()).map(({ ref }) => ref),
    )
    const [request = never()] = receiver.received()
    expect([...request.headers.keys()].filter((name) => name.startsWith("svix"))).toEqual([])
    expect(JSON.parse(request.body).data.email.id).toBe(emailId)
  })

  it("refuses an unknown format", async () => {
    const { team } = await setUp()
    const input = { url: internet.receiver().url, events: ["email.sent"], format: "sendgrid" }
    expect((await team.api.post("/webhooks", input)).status).toBe(400)
  })
})
