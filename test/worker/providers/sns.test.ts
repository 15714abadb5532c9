import { env } from "cloudflare:workers"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { placeOf } from "../../../src/worker/platform/db/databases.ts"
import type { Provider } from "../../../src/worker/providers/provider.ts"
import { readSesEvent } from "../../../src/worker/providers/ses/events.ts"
import { type Api, request } from "../../support/api.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { eventually } from "../../support/eventually.ts"
import {
  EXPIRED,
  type Signer,
  SNS,
  SNS_HOST,
  STRANGER,
  signSns,
  TOPIC,
} from "../../support/fake-sns.ts"
import { fakeOutside } from "../../support/outside.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const ADDRESS = "recipient@example.com"
const SUPPRESSED = (reason: string) => [{ email: ADDRESS, reason }]

/** A slow machine is no failure. */

const fetched: string[] = []

/** Files at certificate addresses that hold more than one certificate. */
const odd = new Map(
  [
    `${SNS.certificate}\n${STRANGER.certificate}`,
    `Subject: CN=sns.amazonaws.com\n${SNS.certificate}`,
    `${SNS.certificate}\n${SNS.key}`,
    SNS.certificate.replaceAll("CERTIFICATE", "TRUSTED CERTIFICATE"),
  ].map((file, index) => [SNS.certificateUrl.replace("good", `odd${index}`), file]),
)
const MINUTE_MS = 60_000
const ago = (ms: number) => ({ Timestamp: new Date(Date.now() - ms).toISOString() })

beforeEach(() => {
  fetched.length = 0
  fakeOutside({
    [SNS_HOST]: ({ url }) => {
      fetched.push(url)
      if (url.includes("Action=ConfirmSubscription")) return new Response("<ok/>")
      if (url.split(/[?#]/)[0] === SNS.certificateUrl) return new Response(SNS.certificate)
      if (url === EXPIRED.certificateUrl) return new Response(EXPIRED.certificate)
      const file = odd.get(url)
      if (file) return new Response(file)
      return new Response("", { status: 404 })
    },
  })
})
afterEach(() => vi.restoreAllMocks())

const databaseTag = env.DATABASE === undefined ? {} : { database: [String(env.DATABASE)] }

/** Records in the form of Amazon's documentation, of an email of ours. */
const records = (teamId: string, emailId: string) => {
  const mail = {
    timestamp: "2026-08-05T00:40:02.012Z",
    source: "Sender Name <sender@example.com>",
    sourceArn: "arn:aws:ses:us-east-1:123456789012:identity/sender@example.com",
    sendingAccountId: "123456789012",
    messageId: "EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000",
    destination: [ADDRESS],
    headersTruncated: false,
    tags: {
      "ses:configuration-set": ["edgepost"],
      email_id: [emailId],
      team_id: [teamId],
      ...databaseTag,
    },
  }
  const recipient = { emailAddress: "Recipient@Example.com" }
  const bounce = (bounceType: string, bounceSubType: string) => ({
    eventType: "Bounce",
    mail,
    bounce: {
      bounceType,
      bounceSubType,
      bouncedRecipients: [
        {
          ...recipient,
          action: "failed",
          status: "5.1.1",
          diagnosticCode: "smtp; 550 5.1.1 user unknown",
        },
      ],
      timestamp: "2026-08-05T00:41:02.669Z",
      feedbackId: "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
      reportingMTA: "dsn; mta.example.com",
    },
  })
  const complaint = (complaintFeedbackType?: string) => ({
    eventType: "Complaint",
    mail,
    complaint: {
      complainedRecipients: [recipient],
      timestamp: "2026-08-05T00:42:02.669Z",
      feedbackId: "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000001",
      userAgent: "ExampleCorp Feedback Loop (V0.01)",
      ...(complaintFeedbackType && { complaintFeedbackType }),
      arrivalDate: "2026-08-05T00:42:02.669Z",
    },
  })
  return {
    send: { eventType: "Send", mail, send: {} },
    delivery: {
      eventType: "Delivery",
      mail,
      delivery: {
        timestamp: "2026-08-05T00:40:59.218Z",
        processingTimeMillis: 771,
        recipients: ["Recipient@Example.com"],
        smtpResponse: "250 2.6.0 Message received",
        reportingMTA: "mta.example.com",
      },
    },
    hardBounce: bounce("Permanent", "General"),
    softBounce: bounce("Transient", "MailboxFull"),
    undetermined: bounce("Undetermined", "Undetermined"),
    complaint: complaint("abuse"),
    silentComplaint: complaint(),
    notSpam: complaint("not-spam"),
    delay: {
      eventType: "DeliveryDelay",
      mail,
      deliveryDelay: {
        timestamp: "2026-08-05T00:40:30.000Z",
        delayType: "TransientCommunicationFailure",
        expirationTime: "2026-08-05T14:40:30.000Z",
        delayedRecipients: [{ ...recipient, status: "4.4.1", diagnosticCode: "smtp; 421 4.4.1" }],
      },
    },
    reject: { eventType: "Reject", mail, reject: { reason: "Bad content" } },
    renderingFailure: {
      eventType: "Rendering Failure",
      mail,
      failure: { errorMessage: "Attribute 'name' is not present.", templateName: "MyTemplate" },
    },
    open: { eventType: "Open", mail, open: { timestamp: "2026-08-05T01:00:00.000Z" } },
    click: { eventType: "Click", mail, click: { timestamp: "2026-08-05T01:00:00.000Z" } },
    subscription: { eventType: "Subscription", mail, subscription: {} },
  }
}
type RecordName = keyof ReturnType<typeof records>

async function makeSentEmail() {
  const team = await makeTeam()
  const { body } = await team.api.post("/emails", {
    from: `sender@${team.domain}`,
    to: "stuck@simulator.amazonses.com",
    subject: "Hello",
    text: "Hi",
  })
  const id = body.id as string
  await eventually(async () => expect((await read(team.api, id)).status).toBe("sent"))
  return { team, id, records: records(team.id, id) }
}

const read = async (api: Api, id: string) => (await api.get(`/emails/${id}`)).body

async function suppressionsOf({ api }: Team) {
  const { body } = await api.get("/suppressions")
  return body.data.map(({ email, reason }: { email: string; reason: string }) => ({
    email,
    reason,
  }))
}

const post = (message: Record<string, string>) =>
  request("POST", "/providers/ses/events", message, { "content-type": "text/plain" })

const notify = (signer: Signer, record: unknown, fields: Record<string, string> = {}) =>
  post(signSns(signer, { Message: JSON.stringify(record), ...fields }))

/** Recipients of a bounce: known ones that are changed, and odd ones. */
const bounced = (...recipients: unknown[]) => ({
  bouncedRecipients: recipients.map((one, index) =>
    index === 0 ? { emailAddress: ADDRESS, ...(one as object) } : one,
  ),
})

const orders = <T>(items: T[]): T[][] =>
  items.length < 2
    ? [items]
    : items.flatMap((first, index) =>
        orders(items.toSpliced(index, 1)).map((rest) => [first, ...rest]),
      )

describe("what SES reports", () => {
  const cases: [RecordName[], string, { email: string; reason: string }[]][] = [
    [["send"], "sent", []],
    [["send", "delivery"], "delivered", []],
    [["delay", "delivery"], "delivered", []],
    [["hardBounce"], "bounced", SUPPRESSED("bounce")],
    [["softBounce", "delay"], "bounced", []],
    [["undetermined"], "bounced", []],
    [["send", "delivery", "complaint"], "complained", SUPPRESSED("complaint")],
    [["delivery", "silentComplaint"], "complained", SUPPRESSED("complaint")],
    [["delay", "delivery", "notSpam"], "complained", []],
    [["reject"], "failed", []],
    [["renderingFailure"], "failed", []],
    [["open", "click", "subscription"], "sent", []],
  ]
  const entryOf: Partial<Record<RecordName, string>> = {
    delivery: "delivered",
    hardBounce: "bounced",
    softBounce: "bounced",
    undetermined: "bounced",
    complaint: "complained",
    silentComplaint: "complained",
    notSpam: "complained",
    delay: "delayed",
    reject: "failed",
    renderingFailure: "failed",
  }

  it.each(cases)(
    "%j ends as %s in every order, and repeats change nothing",
    async (names, status, list) => {
      const { work } = testWork()
      const entries = ["sent", ...names.flatMap((name) => entryOf[name] ?? [])].toSorted()
      for (const order of orders(names)) {
        const { team, id, records } = await makeSentEmail()
        for (const name of [...order, ...order]) {
          await recordEvents(work, readSesEvent(JSON.stringify(records[name])))
        }
        const email = await read(team.api, id)
        expect(email.status, order.join()).toBe(status)
        expect(email.events.map(({ type }: { type: string }) => type).toSorted()).toEqual(entries)
        expect(await suppressionsOf(team)).toEqual(list)
      }
    },
  )

  const namesOf = (text: string, { more = {}, destination = [ADDRESS, "b@example.com"] } = {}) => {
    const { hardBounce, complaint } = records("team_1", newId("email"))
    const recipients = [{ emailAddress: text }]
    const events = [
      { ...hardBounce, bounce: { ...hardBounce.bounce, bouncedRecipients: recipients, ...more } },
      { ...complaint, complaint: { ...complaint.complaint, complainedRecipients: recipients } },
      { ...records("team_1", newId("email")).delivery, delivery: { recipients: [text] } },
    ].map((event) => ({ ...event, mail: { ...event.mail, destination } }))
    return events.map((event) => readSesEvent(JSON.stringify(event))[0]?.data.recipients)
  }

  it.each([
    ['"Ann" <Ann@example.net>', "ann@example.net"],
    ['"Ann <x@y.zz>, B" <ann@example.net> ', "ann@example.net"],
    ["=?UTF-8?Q?J=C3=B6rg?= <ann@example.net>", "ann@example.net"],
    ["<ann@example.net>", "ann@example.net"],
    ["ann@example.net (Ann)", "ann@example.net"],
    [" ANN@EXAMPLE.NET.", "ann@example.net"],
    ["ann@ex\u00e4mple.net", "ann@xn--exmple-cua.net"],
    ["Ann <ann@EX\u00c4MPLE.net>", "ann@xn--exmple-cua.net"],
  ])("of %s is reported of its address", (text, address) => {
    expect(namesOf(text)).toEqual([[address], [address], [address]])
  })

  it("of a text without an address is reported of the mail's only recipient, or of nobody", () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
    expect(namesOf("undisclosed-recipients:;")).toEqual([undefined, undefined, undefined])
    expect(namesOf("nobody", { destination: ["Ann <ann@example.net>"] })).toEqual(
      Array(3).fill(["ann@example.net"]),
    )
    expect(warned).toHaveBeenCalledTimes(6)
    expect(JSON.stringify(warned.mock.calls)).not.toMatch(/nobody|example/)
    warned.mockRestore()
  })

  it.each<[string, RecordName, object, string, string]>([
    ["null as a subtype", "hardBounce", { bounceSubType: null }, "bounced", "Permanent"],
    ["a new type of bounce", "hardBounce", { bounceType: "Odd" }, "bounced", "Undetermined"],
    ["no type of bounce", "hardBounce", { bounceType: undefined }, "bounced", "Undetermined"],
    [
      "null as a diagnostic code",
      "hardBounce",
      bounced({ diagnosticCode: null }),
      "bounced",
      "Permanent",
    ],
    [
      "odd ones among the recipients",
      "hardBounce",
      bounced({}, null, 7, {}),
      "bounced",
      "Permanent",
    ],
    [
      "more recipients than a mail has",
      "hardBounce",
      bounced(...Array(60).fill({})),
      "bounced",
      "Permanent",
    ],
    ["no time", "complaint", { timestamp: null }, "complained", "abuse"],
    ["an odd time", "complaint", { timestamp: "yesterday" }, "complained", "abuse"],
    ["an odd type of complaint", "complaint", { complaintFeedbackType: 5 }, "complained", ""],
    ["no recipients", "delivery", { recipients: null }, "delivered", ""],
    ["null as the type of a delay", "delay", { delayType: null }, "delayed", ""],
    ["null as a reason", "reject", { reason: null }, "failed", ""],
    ["no message", "renderingFailure", { errorMessage: undefined }, "failed", ""],
  ])("with %s counts", (_what, name, more, type, detail) => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
    const event = records("team_1", newId("email"))[name] as unknown as Record<string, object>
    const member = Object.keys(event).find((key) => key !== "eventType" && key !== "mail") ?? ""
    const changed = { ...event, [member]: { ...event[member], ...more } }
    const report = readSesEvent(JSON.stringify(changed)).at(-1)
    expect(report).toMatchObject({ type, occurredAt: expect.any(Number) })
    expect(report?.data.bounceType ?? report?.data.complaintFeedbackType ?? "").toBe(detail)
    if (type !== "failed") expect(report?.data.recipients).toEqual([ADDRESS])
    warned.mockRestore()
  })

  it.each<[string, object | string]>([
    ["details", { bounce: null }],
    ["times", { mail: { timestamp: null, messageId: null } }],
  ])("without %s counts", (_what, change) => {
    const event = records("team_1", newId("email")).hardBounce
    const mail = { ...event.mail, ...(change as { mail?: object }).mail }
    const reports = readSesEvent(JSON.stringify({ ...event, ...(change as object), mail }))
    expect(reports).toMatchObject([{ type: "bounced", data: { recipients: [ADDRESS] } }])
    const send = readSesEvent(JSON.stringify({ eventType: "Send", mail }))
    expect(send).toMatchObject([{ type: "sent" }])
  })

  it.each<[string, unknown, string]>([
    ["text", "Successfully validated SNS topic", "eventType"],
    ["a new kind", { eventType: "Novel", mail: {} }, "eventType"],
    ["the name of a member of every object", { eventType: "constructor" }, "eventType"],
    ["one tag of two", { eventType: "Send", mail: { tags: { email_id: ["x"] } } }, "mail.tags"],
  ])("as %s is logged, without its content", (_what, event, member) => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
    const text = typeof event === "string" ? event : JSON.stringify(event)
    expect(readSesEvent(text)).toEqual([])
    expect(warned.mock.calls).toEqual([
      [JSON.stringify({ level: "warn", provider: "ses", unread: member, email: null })],
    ])
    warned.mockRestore()
  })

  it("settles an email whose answer was lost, also if it is a delay", async () => {
    const team = await makeTeam()
    const email = { from: `sender@${team.domain}`, to: ADDRESS, subject: "Hello", text: "Hi" }
    const scheduledAt = new Date(Date.now() + 60 * MINUTE_MS).toISOString()
    const { body } = await team.api.post("/emails", { ...email, scheduledAt })
    const { work } = testWork({ clock: makeClock(Date.now() + 61 * MINUTE_MS) })
    const lost = { ok: false, retryable: true, unanswered: true, reason: "Lost" } as const
    const provider: Provider = { name: "ses", send: async () => lost }
    await dispatchEmails(work, [{ teamId: team.id, emailId: body.id }], { provider })
    expect((await read(team.api, body.id)).status).toBe("sending")
    await recordEvents(work, readSesEvent(JSON.stringify(records(team.id, body.id).delay)))
    expect(await read(team.api, body.id)).toMatchObject({
      status: "sent",
      events: [{ type: "sent" }, { type: "delayed" }],
    })
  })

  it("is on the timeline with its details", async () => {
    const { team, id, records } = await makeSentEmail()
    const { work } = testWork()
    for (const name of ["hardBounce", "complaint", "delay", "reject"] as const) {
      await recordEvents(work, readSesEvent(JSON.stringify(records[name])))
    }
    const { events } = await read(team.api, id)
    const [, ...told] = events
      .map(({ id: _, ...entry }: { id: string }) => entry)
      .toSorted((a: { type: string }, b: { type: string }) =>
        a.type === "sent" ? -1 : a.type < b.type ? -1 : 1,
      )
    expect(told).toEqual([
      {
        type: "bounced",
        occurredAt: "2026-08-05T00:41:02.669Z",
        bounceType: "Permanent",
        bounceSubType: "General",
        diagnosticCode: "smtp; 550 5.1.1 user unknown",
        recipients: [ADDRESS],
      },
      {
        type: "complained",
        occurredAt: "2026-08-05T00:42:02.669Z",
        complaintFeedbackType: "abuse",
        recipients: [ADDRESS],
      },
      {
        type: "delayed",
        occurredAt: "2026-08-05T00:40:30.000Z",
        reason: "TransientCommunicationFailure",
        diagnosticCode: "smtp; 421 4.4.1",
        recipients: [ADDRESS],
      },
      { type: "failed", occurredAt: "2026-08-05T00:40:02.012Z", reason: "Bad content" },
    ])
  })
})

describe("a notification of SNS", () => {
  it.each([
    ["now", 0],
    ["59 minutes ago", 59 * MINUTE_MS],
    ["four minutes ahead", -4 * MINUTE_MS],
  ])("signed %s is recorded", async (_, age) => {
    const { team, id, records } = await makeSentEmail()
    const message = { Message: JSON.stringify(records.delivery), Subject: "Amazon SES" }
    expect((await post(signSns(SNS, { ...message, ...ago(age) }))).status).toBe(200)
    await eventually(async () => expect((await read(team.api, id)).status).toBe("delivered"))
  })

  it("that is replayed does not restore a suppression that a person removed", async () => {
    const { team, records } = await makeSentEmail()
    const message = signSns(SNS, { Message: JSON.stringify(records.hardBounce) })
    await post(message)
    await eventually(async () => expect(await suppressionsOf(team)).toHaveLength(1))
    await team.api.delete(`/suppressions/${ADDRESS}`)
    const { work } = testWork()
    await recordEvents(work, readSesEvent(message.Message as string))
    expect(await suppressionsOf(team)).toEqual([])
  })

  it("of an acceptance waits until the answer can be recorded", async () => {
    const { id, records } = await makeSentEmail()
    const enqueue = vi.spyOn(env.OUTCOMES, "sendBatch")
    expect((await notify(SNS, records.send)).status).toBe(200)
    const events = [expect.objectContaining({ emailId: id, type: "sent" })]
    expect(enqueue).toHaveBeenCalledWith([
      { body: { kind: "outcomes", events, ...placeOf(env) }, delaySeconds: 60 },
    ])
  })

  it("of fifty recipients with long answers is recorded completely", async () => {
    const { team, id, records } = await makeSentEmail()
    const bouncedRecipients = Array.from({ length: 50 }, (_, index) => ({
      emailAddress: `someone-${index}@example.com`,
      diagnosticCode: "550 5.1.1 user unknown ".repeat(200),
    }))
    const { bounce } = records.hardBounce
    const record = { ...records.hardBounce, bounce: { ...bounce, bouncedRecipients } }
    expect((await notify(SNS, record)).status).toBe(200)
    await eventually(async () => {
      expect(await suppressionsOf(team)).toHaveLength(25)
      expect((await read(team.api, id)).events).toHaveLength(51)
    })
  })

  it("about others' mail on the same topic is accepted and ignored", async () => {
    const foreign = {
      ...records("team", "email").delivery,
      mail: { timestamp: "2026-08-05T00:40:02.012Z", messageId: "m" },
    }
    expect((await notify(SNS, foreign)).status).toBe(200)
    expect((await notify(SNS, { notificationType: "AmazonSnsSubscriptionSucceeded" })).status).toBe(
      200,
    )
    expect((await notify(SNS, records("team_x", "em_x").delivery)).status).toBe(200)
  })

  const forgeries: [string, (message: unknown) => Promise<{ status: number }>, number][] = [
    ["signed with another key", (record) => notify(STRANGER, record), 403],
    ["under an expired certificate", (record) => notify(EXPIRED, record), 403],
    [
      "of another topic",
      (record) => notify(SNS, record, { TopicArn: `${TOPIC}-of-somebody-else` }),
      403,
    ],
    [
      "changed after it was signed",
      (record) => post({ ...signSns(SNS, { Message: "{}" }), Message: JSON.stringify(record) }),
      403,
    ],
    [
      "with its topic changed to ours after it was signed",
      (record) =>
        post({
          ...signSns(SNS, {
            Message: JSON.stringify(record),
            TopicArn: "arn:aws:sns:us-east-1:1:x",
          }),
          TopicArn: TOPIC,
        }),
      403,
    ],
    [
      "with a signature of version 1",
      (record) => post(signSns(SNS, { Message: JSON.stringify(record) }, "1")),
      403,
    ],
    ["signed 61 minutes ago", (record) => notify(SNS, record, ago(61 * MINUTE_MS)), 403],
    ["signed six minutes ahead", (record) => notify(SNS, record, ago(-6 * MINUTE_MS)), 403],
    ["signed at no time", (record) => notify(SNS, record, { Timestamp: "soon" }), 403],
    [
      "of an unknown signature version",
      (record) =>
        post({ ...signSns(SNS, { Message: JSON.stringify(record) }), SignatureVersion: "3" }),
      403,
    ],
    ["that is no message of SNS", (record) => post(record as Record<string, string>), 400],
    ...[
      ...odd.keys(),
      ...["?", "?x=1", "#", "#x"].map((end) => SNS.certificateUrl + end),
      SNS.certificateUrl.replace(SNS_HOST, `${SNS_HOST}:443`),
      "https://sns.us-east-1.amazonaws.com.evil.test/SimpleNotificationService-good.pem",
      "https://evil.test/SimpleNotificationService-good.pem",
      "http://sns.us-east-1.amazonaws.com/SimpleNotificationService-good.pem",
      "https://sns.us-east-1.amazonaws.com:8443/SimpleNotificationService-good.pem",
      "https://x@sns.us-east-1.amazonaws.com/SimpleNotificationService-good.pem",
      "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-good.pem",
      "https://s3.amazonaws.com/bucket/SimpleNotificationService-good.pem",
      "https://sns.us-east-1.amazonaws.com/somebody/certificate.pem",
      "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-none.pem",
      "not a url",
    ].map((certificateUrl): [string, (message: unknown) => Promise<{ status: number }>, number] => [
      `with its certificate at ${certificateUrl}`,
      (record) => notify({ ...SNS, certificateUrl }, record),
      403,
    ]),
  ]

  it.each(forgeries)("%s changes nothing", async (_, send, status) => {
    const { team, id, records } = await makeSentEmail()
    const enqueue = vi.spyOn(env.OUTCOMES, "sendBatch")
    expect((await send(records.hardBounce)).status).toBe(status)
    expect(enqueue).not.toHaveBeenCalled()
    expect(fetched.every((url) => new URL(url).origin === `https://${SNS_HOST}`)).toBe(true)
    expect((await read(team.api, id)).status).toBe("sent")
    expect(await suppressionsOf(team)).toEqual([])
  })
})

describe("a subscription", () => {
  const confirmation = (SubscribeURL: string) => ({
    Type: "SubscriptionConfirmation",
    Message: "You have chosen to subscribe to the topic.",
    Token: "2336412f37f",
    SubscribeURL,
  })
  const good = `https://${SNS_HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37f`

  it("of our topic is confirmed at Amazon's address", async () => {
    expect((await post(signSns(SNS, confirmation(good)))).status).toBe(200)
    expect(fetched).toContain(good)
  })

  it.each([
    ["address is elsewhere", SNS, "https://evil.test/?Action=ConfirmSubscription"],
    ["address is no https", SNS, good.replace("https:", "http:")],
    ["signature is wrong", STRANGER, good],
  ])("whose %s is not confirmed", async (_, signer, url) => {
    expect((await post(signSns(signer, confirmation(url)))).status).toBe(403)
    expect(fetched.filter((one) => one.includes("Action="))).toEqual([])
  })
})
