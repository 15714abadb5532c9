import { env } from "cloudflare:workers"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { LEASE_MS } from "../../../src/worker/emails/sending/claim.ts"
import { sweepEmails } from "../../../src/worker/emails/sending/sweep-emails.ts"
import type { Work } from "../../../src/worker/platform/context.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { readSesEvent } from "../../../src/worker/providers/ses/events.ts"
import { setUpSes } from "../../../src/worker/providers/ses/setup.ts"
import { sendSystemMail } from "../../../src/worker/teams/notices/system-mail.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import {
  type Behaviour,
  fault,
  makeFakeSes,
  SES_HOST,
  SES_SETTINGS,
} from "../../support/fake-ses.ts"
import { acceptForLater, afterThat } from "../../support/mail.ts"
import { metered } from "../../support/meter.ts"
import { fakeOutside } from "../../support/outside.ts"
import { endPauses } from "../../support/providers.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

beforeEach(async () => void (await endPauses()))

const SETTLE_MS = 5 * 60_000

afterEach(() => vi.restoreAllMocks())

/** A team whose mail goes to a fake SES; scheduled mail is out of the real queue's reach. */
async function makeSender(account: { sendRate?: number; settings?: Partial<Env> } = {}) {
  const team = await makeTeam()
  const ses = makeFakeSes(account)
  fakeOutside({ [SES_HOST]: ses.handler })
  const clock = makeClock(afterThat())
  const settings = { ...SES_SETTINGS, ...account.settings }
  const { work } = testWork({ clock, settings })
  const accept = (input?: Record<string, unknown>) => acceptForLater(team, input)
  const dispatch = (...ids: string[]) =>
    dispatchEmails(
      work,
      ids.map((emailId) => ({ teamId: team.id, emailId })),
    )
  return { team, ses, clock, work, accept, dispatch }
}

const read = async ({ api }: Team, id: string) => (await api.get(`/emails/${id}`)).body

const entries = (email: { events: { type: string; reason?: string }[] }) =>
  email.events.map(({ type, reason }) => (reason ? `${type}: ${reason}` : type))

describe("a message to SES", () => {
  it("that the service itself sends is tried again when SES is busy", async () => {
    const { ses, work } = await makeSender()
    ses.behave = (attempt) => (attempt === 1 ? fault(429, "TooManyRequestsException") : "accept")
    const mail = { to: "a@x.test", subject: "Set a new password", link: "https://x.test/#t" }
    await sendSystemMail(work, { address: "b@x.test" }, { ...mail, before: [], after: [] })
    expect(ses.accepted).toMatchObject([{ Destination: { ToAddresses: ["a@x.test"] } }])
  })

  it("that came whole keeps its bytes, but for a header beyond ASCII", async () => {
    const { team, ses, dispatch } = await makeSender()
    const at = new Date(afterThat() - 3_600_000).toISOString()
    const fields = `Date: x\r\nMessage-ID: <1@${team.domain}>\r\nMIME-Version: 1.0\r\nReply-To: a@x.test\r\n`
    const body = `Gr\xfc\xdfe\r\n${"x".repeat(76)}\r\n`.repeat(12_000)
    const message = (subject: string) =>
      `From: a@${team.domain}\r\n${fields}Subject: ${subject}\r\n\r\n${body}`
    const { body: accepted } = await team.api.post(
      `/emails/raw?to=b%40x.test&scheduledAt=${at}`,
      Buffer.from(message("Gr\xc3\xbc\xc3\x9fe"), "latin1"),
    )
    await dispatch(accepted.id)
    expect(ses.accepted).toMatchObject([
      { Destination: { BccAddresses: ["b@x.test"] }, ReplyToAddresses: [] },
    ])
    const sent = Buffer.from(ses.accepted[0]?.Content.Raw?.Data ?? "", "base64")
    expect(sent.toString("latin1")).toBe(message("=?UTF-8?Q?Gr=C3=BC=C3=9Fe?="))
  })

  it("is signed, structured, tagged with its email and team, and of the configuration set", async () => {
    const { team, ses, accept, dispatch } = await makeSender()
    const id = await accept({
      from: `Zoë Größe <sender@${team.domain}>`,
      to: ["Plain Name <to@example.com>", "second@example.com"],
      cc: "cc@example.com",
      bcc: "bcc@example.com",
      replyTo: "reply@example.com",
      subject: "Grüße",
      html: "<p>Hi</p>",
      headers: { "X-Campaign": "spring", "List-Unsubscribe": "<https://example.com/u>" },
      attachments: [
        { filename: "a.txt", content: "aGVsbG8=", contentType: "text/plain" },
        { filename: "i.png", content: "iVBORw==", contentType: "image/png", contentId: "logo" },
      ],
    })
    await dispatch(id)

    expect(ses.accepted).toEqual([
      {
        FromEmailAddress: `=?UTF-8?B?Wm/DqyBHcsO2w59l?= <sender@${team.domain}>`,
        Destination: {
          ToAddresses: ["Plain Name <to@example.com>", "second@example.com"],
          CcAddresses: ["cc@example.com"],
          BccAddresses: ["bcc@example.com"],
        },
        ReplyToAddresses: ["reply@example.com"],
        ConfigurationSetName: "edgepost-test",
        EmailTags: [
          { Name: "email_id", Value: id },
          { Name: "team_id", Value: team.id },
          ...(env.DATABASE === undefined
            ? []
            : [{ Name: "database", Value: String(env.DATABASE) }]),
        ],
        Content: {
          Simple: {
            Subject: { Data: "Grüße", Charset: "UTF-8" },
            Body: {
              Html: { Data: "<p>Hi</p>", Charset: "UTF-8" },
              Text: { Data: "Hi", Charset: "UTF-8" },
            },
            Headers: [
              { Name: "X-Campaign", Value: "spring" },
              { Name: "List-Unsubscribe", Value: "<https://example.com/u>" },
            ],
            Attachments: [
              {
                FileName: "a.txt",
                RawContent: "aGVsbG8=",
                ContentTransferEncoding: "BASE64",
                ContentDisposition: "ATTACHMENT",
                ContentType: "text/plain",
              },
              {
                FileName: "i.png",
                RawContent: "iVBORw==",
                ContentTransferEncoding: "BASE64",
                ContentDisposition: "INLINE",
                ContentType: "image/png",
                ContentId: "logo",
              },
            ],
          },
        },
      },
    ])
    const email = await read(team, id)
    expect(email.status).toBe("sent")
    expect(entries(email)).toEqual(["sent"])
  })

  it("names the type of each file, never that of a message or of several parts", async () => {
    const { ses, accept, dispatch } = await makeSender()
    const files = [
      { filename: "a.eml" },
      { filename: "a.bin", contentType: "message/rfc822" },
      { filename: "a.gzip" },
      { filename: "a.log", contentId: "log" },
    ]
    await dispatch(await accept({ attachments: files.map((one) => ({ ...one, content: "eA==" })) }))
    const sent = ses.accepted[0] as { Content: { Simple: { Attachments: object[] } } }
    expect(sent.Content.Simple.Attachments).toMatchObject([
      ...Array(3).fill({ ContentType: "application/octet-stream", RawContent: "eA==" }),
      { ContentType: "text/plain", ContentDisposition: "ATTACHMENT" },
    ])
  })

  it("goes once to an address that stands in several fields, or twice in one", async () => {
    const { team, ses, accept, dispatch } = await makeSender()
    const [ann, bob] = ["ann@example.com", "bob@example.com"]
    const id = await accept({
      to: [ann, "Ann <ann@EXAMPLE.com>"],
      cc: [bob, "Bob@example.com"],
      bcc: [bob, ann, "cat@example.com"],
    })
    await dispatch(id)
    expect(ses.accepted).toMatchObject([
      {
        Destination: {
          ToAddresses: [ann],
          CcAddresses: [bob],
          BccAddresses: ["cat@example.com"],
        },
      },
    ])
    expect((await read(team, id)).bcc).toEqual([bob, ann, "cat@example.com"])
  })

  it("goes to nobody who is skipped", async () => {
    const { team, ses, accept, dispatch } = await makeSender()
    const [ann, bob, cat, dan] = ["ann", "bob", "cat", "dan"].map((name) => `${name}@example.com`)
    const id = await accept({ onSuppressed: "skip", to: ann, cc: bob, bcc: [cat, dan] })
    for (const email of [bob, dan]) await team.api.post("/suppressions", { email })
    await dispatch(id)
    expect(ses.accepted).toMatchObject([
      { Destination: { ToAddresses: [ann], CcAddresses: [], BccAddresses: [cat] } },
    ])
  })

  it("gets a text part made from html", async () => {
    const { ses, accept, dispatch } = await makeSender()
    await dispatch(await accept({ html: "<p>Hi <b>there</b></p>", text: undefined }))
    expect(ses.accepted).toMatchObject([
      { Content: { Simple: { Body: { Text: { Data: "Hi there", Charset: "UTF-8" } } } } },
    ])
  })

  it.each([
    ["a header beyond ASCII", { headers: { "X-Note": "Grüße" } }],
    [
      "more than 15 headers",
      { headers: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`X-N-${i}`, "v"])) },
    ],
    ["a header without a value", { headers: { "X-Note": "" } }],
    ["a header of more than 870 characters", { headers: { "X-Note": "a ".repeat(440) } }],
    ["an empty file", { attachments: [{ filename: "empty.csv", content: "" }] }],
    [
      "an invitation",
      {
        attachments: [
          { filename: "i.ics", content: "aGk=", contentType: "text/calendar; method=REQUEST" },
        ],
      },
    ],
    ["a file name beyond ASCII", { attachments: [{ filename: "größe.txt", content: "aGVsbG8=" }] }],
  ])("is raw MIME with %s, which the structured form cannot say", async (_, input) => {
    const { ses, accept, dispatch } = await makeSender()
    await dispatch(await accept(input))
    const mime = Buffer.from(ses.accepted[0]?.Content.Raw?.Data ?? "", "base64").toString()
    expect(mime).toContain("Subject: Hello\r\n")
    expect(ses.accepted[0]?.Destination.ToAddresses).toEqual(["someone@example.com"])
  })

  it.each([
    ["throttling", fault(429, "TooManyRequestsException"), "sending"],
    ["a spent quota", fault(400, "LimitExceededException"), "sending"],
    ["refused credentials", fault(403, "UnrecognizedClientException"), "sending"],
    [
      "a rejected message",
      fault(400, "MessageRejected", "Email address is not verified."),
      "failed",
    ],
    ["a paused account", fault(400, "SendingPausedException"), "sending"],
    ["a suspended account", fault(400, "AccountSuspendedException"), "sending"],
    ["an unverified MAIL FROM", fault(400, "MailFromDomainNotVerifiedException"), "failed"],
    ["no such configuration set", fault(404, "NotFoundException"), "sending"],
    ["a bad request", fault(400, "BadRequestException"), "failed"],
  ])("answered with %s", async (_, answer, status) => {
    const { team, ses, clock, accept, dispatch } = await makeSender()
    const code = answer.headers.get("x-amzn-errortype")?.replace(":", "")
    ses.behave = (attempt) => (attempt === 1 ? answer : "accept")
    const id = await accept()
    await dispatch(id)
    const after = await read(team, id)
    expect(after.status).toBe(status)
    expect(after.lastError).toContain(code)
    clock.advance(31_000)
    await dispatch(id)
    expect(ses.idsAccepted()).toEqual(status === "sending" ? [id] : [])
    expect(entries(await read(team, id))[0]).toBe(
      status === "sending" ? "sent" : `failed: ${after.lastError}`,
    )
  })

  it.each([500, 502, 503])("answered with %s may have been accepted", async (status) => {
    const { team, ses, clock, accept, dispatch } = await makeSender()
    ses.behave = (attempt) => (attempt === 1 ? fault(status, "InternalFailure") : "accept")
    const id = await accept()
    await dispatch(id)
    clock.advance(LEASE_MS + SETTLE_MS - 1)
    await dispatch(id)
    expect(ses.idsAccepted()).toEqual([])
    expect(await read(team, id)).toMatchObject({ status: "sending", events: [] })
    clock.advance(2)
    await dispatch(id)
    expect(ses.idsAccepted()).toEqual([id])
  })

  it("costs two round trips and four rows, and one row each for day, hour and stream", async () => {
    const { accept, dispatch } = await makeSender()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push(await accept())
    const meter = await metered(() => dispatch(...ids))
    expect(meter.roundTrips).toBe(2)
    expect(meter.rowsWritten).toBeLessThanOrEqual(4 * ids.length + 3)
  })

  it("is retried with a reason while credentials are not set", async () => {
    const { team, clock, accept } = await makeSender()
    const { work } = testWork({ clock, settings: { PROVIDER: "ses" } })
    const id = await accept()
    await dispatchEmails(work, [{ teamId: team.id, emailId: id }])
    const email = await read(team, id)
    expect(email.status).toBe("sending")
    expect(email.lastError).toContain("AWS_ACCESS_KEY_ID")
  })

  it("keeps to the account's send rate", async () => {
    const settings = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLESLOW" }
    const { ses, accept, dispatch } = await makeSender({ sendRate: 20, settings })
    const ids = [await accept(), await accept(), await accept(), await accept(), await accept()]
    const sentAt: number[] = []
    ses.behave = () => {
      sentAt.push(Date.now())
      return "accept"
    }
    await dispatch(...ids)
    expect(ses.idsAccepted().toSorted()).toEqual(ids)
    expect(Math.max(...sentAt) - Math.min(...sentAt)).toBeGreaterThanOrEqual(4 * 50 - 10)
  })
})

/** The consumer never gets to record what SES answered. */
async function dieOnceAnswered(
  answer: ReturnType<Behaviour>,
  {
    ses,
    work,
    dispatch,
  }: { ses: ReturnType<typeof makeFakeSes>; work: Work; dispatch(): Promise<unknown> },
) {
  await new Promise<void>((resolve) => {
    ses.behave = () => {
      vi.spyOn(work.db, "batch").mockImplementationOnce(() => {
        resolve()
        return new Promise(() => {})
      })
      return answer
    }
    void dispatch()
  })
}

describe("an answer that never came", () => {
  const sendEvent = (team: Team, emailId: string, timestamp: number) =>
    readSesEvent(
      JSON.stringify({
        eventType: "Send",
        mail: {
          timestamp: new Date(timestamp).toISOString(),
          messageId: "from-the-event",
          tags: { email_id: [emailId], team_id: [team.id] },
        },
        send: {},
      }),
    )

  it("is replaced by the provider's own event, and the timeline says so", async () => {
    const { team, ses, clock, work, accept, dispatch } = await makeSender()
    ses.behave = () => "break off after accepting"
    const id = await accept()
    await dispatch(id)
    expect((await read(team, id)).status).toBe("sending")

    await recordEvents(work, sendEvent(team, id, clock.now()))
    clock.advance(LEASE_MS + SETTLE_MS + 1)
    await dispatch(id)
    const email = await read(team, id)
    expect(email.status).toBe("sent")
    expect(entries(email)).toEqual(["sent: settled_by_provider_event"])
    expect(ses.idsAccepted()).toEqual([id])
  })

  it("in time because SES is slow is replaced the same way", async () => {
    const { team, ses, clock, work, accept, dispatch } = await makeSender()
    const { setTimeout: later } = globalThis
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((end: () => void, ms = 0) =>
      later(end, ms === 20_000 ? 50 : ms)) as typeof setTimeout)
    const { handler } = ses
    fakeOutside({
      [SES_HOST]: async (request) => {
        const answer = await handler(request)
        return request.method === "POST" ? new Promise<Response>(() => {}) : answer
      },
    })
    const id = await accept()
    await dispatch(id)
    expect((await read(team, id)).status).toBe("sending")
    await recordEvents(work, sendEvent(team, id, clock.now()))
    clock.advance(LEASE_MS + SETTLE_MS + 1)
    await dispatch(id)
    expect(ses.idsAccepted()).toEqual([id])
    expect((await read(team, id)).status).toBe("sent")
  })

  it("is replaced by a delivery event, and the message is not sent again", async () => {
    const { team, ses, clock, work, accept, dispatch } = await makeSender()
    ses.behave = () => "break off after accepting"
    const id = await accept()
    await dispatch(id)
    const [event] = sendEvent(team, id, clock.now())
    await recordEvents(work, [
      { ...(event as NonNullable<typeof event>), type: "delivered", data: {} },
    ])
    clock.advance(LEASE_MS + SETTLE_MS + 1)
    await dispatch(id)
    expect((await read(team, id)).status).toBe("delivered")
    expect(ses.idsAccepted()).toEqual([id])
  })

  it("delays the next send, and the timeline says that it was sent again", async () => {
    const { team, ses, clock, accept, dispatch } = await makeSender()
    ses.behave = (attempt) => {
      if (attempt === 1) throw new TypeError("Network connection lost.")
      return "accept"
    }
    const id = await accept()
    await dispatch(id)
    clock.advance(LEASE_MS + SETTLE_MS - 1)
    await dispatch(id)
    expect(ses.accepted).toHaveLength(0)

    clock.advance(2)
    await dispatch(id)
    expect(ses.idsAccepted()).toEqual([id])
    expect(entries(await read(team, id))).toEqual(["sent: sent_again_without_answer"])
  })

  it("is still on the timeline after a refusal in between", async () => {
    const { team, ses, clock, accept, dispatch } = await makeSender()
    ses.behave = (attempt) => {
      if (attempt === 1) throw new TypeError("Network connection lost.")
      return attempt === 2 ? fault(429, "TooManyRequestsException") : "accept"
    }
    const id = await accept()
    for (const _attempt of [1, 2, 3]) {
      await dispatch(id)
      clock.advance(LEASE_MS + SETTLE_MS + 60_000)
    }
    expect(entries(await read(team, id))).toEqual(["sent: sent_again_without_answer"])
  })

  it("of a consumer that died after the hand-over delays the next send beyond its lease", async () => {
    const { team, ses, clock, work, accept, dispatch } = await makeSender()
    const id = await accept()
    await dieOnceAnswered("accept", { ses, work, dispatch: () => dispatch(id) })
    clock.advance(LEASE_MS + 1)
    await dispatch(id)
    expect(ses.idsAccepted()).toEqual([id])

    await recordEvents(work, sendEvent(team, id, clock.now()))
    clock.advance(SETTLE_MS)
    await dispatch(id)
    expect(ses.idsAccepted()).toEqual([id])
    expect((await read(team, id)).status).toBe("sent")
  })

  it("of a consumer that died before the hand-over delays the send, which follows then", async () => {
    const { team, ses, clock, work, accept, dispatch } = await makeSender()
    const id = await accept()
    const refusal = fault(429, "TooManyRequestsException")
    await dieOnceAnswered(refusal, { ses, work, dispatch: () => dispatch(id) })
    ses.behave = () => "accept"
    clock.advance(LEASE_MS + SETTLE_MS + 1)
    await sweepEmails(work)
    await dispatch(id)
    expect(ses.idsAccepted()).toEqual([id])
    expect(entries(await read(team, id))).toEqual(["sent: sent_again_without_answer"])
  })

  it("that comes in time leaves one `sent` entry beside the provider's event", async () => {
    const { team, clock, work, accept, dispatch } = await makeSender()
    const id = await accept()
    await dispatch(id)
    await recordEvents(work, sendEvent(team, id, clock.now() + 5))
    expect(entries(await read(team, id))).toEqual(["sent"])
  })
})

it("the fault of one email does not stop the recording of others", async () => {
  const { team, ses, clock, work, accept, dispatch } = await makeSender()
  const noise = crypto.getRandomValues(new Uint8Array(60_000))
  const content = Buffer.from(noise).toString("base64")
  const large = await accept({ attachments: [{ filename: "noise.bin", content }] })
  const small = await accept()
  vi.spyOn(work.env.CONTENT, "get").mockRejectedValueOnce(new Error("R2 is away"))
  vi.spyOn(console, "error").mockImplementation(() => {})
  await dispatch(large, small)
  expect((await read(team, small)).status).toBe("sent")
  expect((await read(team, large)).status).toBe("sending")
  clock.advance(LEASE_MS + SETTLE_MS + 1)
  await dispatch(large, small)
  expect(ses.idsAccepted()).toEqual([small, large])
})

it("sixty emails under every fault are each sent once", async () => {
  const { team, ses, clock, work, accept, dispatch } = await makeSender()
  const ids: string[] = []
  for (let i = 0; i < 60; i++) ids.push(await accept({ subject: `Number ${i}` }))
  ses.behave = (attempt) => {
    if (attempt % 5 === 1) return fault(429, "TooManyRequestsException")
    if (attempt % 5 === 2) return fault(500, "InternalFailure")
    return attempt % 5 === 3 ? "break off after accepting" : "accept"
  }
  for (let round = 0; round < 40; round++) {
    await dispatch(...ids)
    await recordEvents(
      work,
      ses.accepted.flatMap((message) =>
        reported(team, message.EmailTags[0]?.Value as string, clock.now()),
      ),
    )
    await sweepEmails(work)
    clock.advance(60_000)
  }
  expect(ses.idsAccepted().toSorted()).toEqual(ids.toSorted())
  const { body } = await team.api.get("/emails?limit=100")
  expect(body.data.map(({ status }: { status: string }) => status)).toEqual(
    ids.map(() => "delivered"),
  )
})

const reported = ({ id: teamId }: Team, emailId: string, now: number) =>
  readSesEvent(
    JSON.stringify({
      eventType: "Delivery",
      mail: {
        timestamp: new Date(now).toISOString(),
        messageId: "m",
        tags: { email_id: [emailId], team_id: [teamId] },
      },
      delivery: { timestamp: "2026-01-01T00:00:00.000Z", recipients: ["someone@example.com"] },
    }),
  )

describe("setup:ses", () => {
  const topic = "arn:aws:sns:us-east-1:123456789012:edgepost"
  const queueUrl = "https://sqs.us-east-1.amazonaws.com/123456789012/edgepost-undelivered"

  /** An AWS account that remembers what was made in it. */
  function makeAccount() {
    const made = new Set<string>()
    const actions: Record<string, string>[] = []
    const undelivered: string[] = []
    const once = (name: string) => {
      if (made.has(name)) return fault(400, "AlreadyExistsException")
      made.add(name)
      return Response.json({})
    }
    fakeOutside({
      [SES_HOST]: async ({ method, url }) =>
        method === "POST" ? once(new URL(url).pathname) : Response.json({}),
      "sqs.us-east-1.amazonaws.com": async (request) => {
        const action = Object.fromEntries(await request.formData()) as Record<string, string>
        actions.push(action)
        if (action.Action === "DeleteMessage") undelivered.shift()
        const [body] = action.Action === "ReceiveMessage" ? undelivered : []
        if (body === undefined) return new Response(`<QueueUrl>${queueUrl}</QueueUrl>`)
        const escaped = body
          .replaceAll("&", "&amp;")
          .replaceAll("<", "&lt;")
          .replaceAll('"', "&quot;")
        const message = `<ReceiptHandle>r/1==</ReceiptHandle><Body>${escaped}</Body>`
        return new Response(`<Message>${message}</Message>`)
      },
      "sns.us-east-1.amazonaws.com": async (request) => {
        const action = Object.fromEntries(await request.formData()) as Record<string, string>
        actions.push(action)
        if (action.Action === "CreateTopic") return new Response(`<TopicArn>${topic}</TopicArn>`)
        const subscribed = actions.filter(({ Action }) => Action === "Subscribe").length
        return new Response(
          `<SubscriptionArn>${subscribed > 1 ? `${topic}:1` : "pending confirmation"}</SubscriptionArn>`,
        )
      },
    })
    return { made, actions, undelivered }
  }

  const settings = {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    SES_ENDPOINT: undefined,
    SES_CONFIGURATION_SET: "edgepost",
    BASE_URL: "https://mail.example.com",
  }

  it("makes what is missing, reports its steps, and may be run again", async () => {
    const { made, actions } = makeAccount()
    const said: string[] = []
    const run = () => setUpSes({ settings, report: (line) => said.push(line) })
    expect(await run()).toBe(topic)
    expect(await run()).toBe(topic)
    expect([...made]).toEqual([
      "/v2/email/configuration-sets",
      "/v2/email/configuration-sets/edgepost/event-destinations",
    ])
    expect(actions.slice(0, 4).map(({ Action, AttributeName }) => AttributeName ?? Action)).toEqual(
      ["CreateTopic", "SignatureVersion", "Policy", "Subscribe"],
    )
    expect(actions[3]).toMatchObject({
      Protocol: "https",
      Endpoint: "https://mail.example.com/providers/ses/events",
    })
    expect(said.filter((line) => /Configuration set|Subscription/.test(line))).toEqual([
      "Configuration set edgepost: made.",
      "Subscription of https://mail.example.com/providers/ses/events: waits for its confirmation.",
      "Configuration set edgepost: was there.",
      "Subscription of https://mail.example.com/providers/ses/events: confirmed.",
    ])
  })

  it("lets a confirmed subscription repeat for an hour, and keep what fails", async () => {
    const { actions } = makeAccount()
    const run = () => setUpSes({ settings, report: () => {} })
    await run()
    expect(actions.map(({ Action }) => Action)).not.toContain("SetSubscriptionAttributes")
    await run()
    const [create, attributes, delivery, redrive] = actions.slice(-5)
    expect(create).toMatchObject({ Action: "CreateQueue", QueueName: "edgepost-undelivered" })
    const queue = "arn:aws:sqs:us-east-1:123456789012:edgepost-undelivered"
    expect(attributes).toMatchObject({
      Action: "SetQueueAttributes",
      QueueUrl: queueUrl,
      "Attribute.1.Name": "MessageRetentionPeriod",
      "Attribute.1.Value": "1209600",
      "Attribute.2.Name": "Policy",
    })
    expect(JSON.parse(attributes?.["Attribute.2.Value"] ?? "").Statement).toEqual([
      {
        Effect: "Allow",
        Principal: { Service: "sns.amazonaws.com" },
        Action: "sqs:SendMessage",
        Resource: queue,
        Condition: { ArnEquals: { "aws:SourceArn": topic } },
      },
    ])
    const SubscriptionArn = `${topic}:1`
    expect(redrive).toMatchObject({
      Action: "SetSubscriptionAttributes",
      SubscriptionArn,
      AttributeName: "RedrivePolicy",
      AttributeValue: JSON.stringify({ deadLetterTargetArn: queue }),
    })
    expect(delivery).toMatchObject({ SubscriptionArn, AttributeName: "DeliveryPolicy" })
    const { healthyRetryPolicy: policy } = JSON.parse(delivery?.AttributeValue ?? "")
    const between = policy.numRetries - policy.numMinDelayRetries - policy.numMaxDelayRetries
    const least = policy.numMinDelayRetries * policy.minDelayTarget
    const most = (policy.numMaxDelayRetries + between) * policy.maxDelayTarget
    expect(policy.numRetries).toBeLessThanOrEqual(100)
    expect(least + most).toBeLessThanOrEqual(3_600)
    expect(least + policy.numMaxDelayRetries * policy.maxDelayTarget).toBeGreaterThan(2_700)
  })

  it("publishes again what SNS could not deliver", async () => {
    const { actions, undelivered } = makeAccount()
    const said: string[] = []
    const run = () => setUpSes({ settings, report: (line) => said.push(line) })
    const events = ['{"eventType":"Bounce"}', '{"eventType":"Complaint","a":"&<é"}']
    undelivered.push(...events.map((Message) => JSON.stringify({ Type: "Notification", Message })))
    await run()
    expect(undelivered).toHaveLength(2)
    await run()
    const published = actions.filter(({ Action }) => Action === "Publish")
    expect(published).toMatchObject(events.map((Message) => ({ TopicArn: topic, Message })))
    expect([undelivered, said.at(-1)]).toEqual([[], "Published again from that queue: 2."])
  })

  it("refuses an address that SNS cannot post to", async () => {
    const BASE_URL = "http://localhost:8787"
    const run = setUpSes({ settings: { ...settings, BASE_URL }, report: () => {} })
    await expect(run).rejects.toThrow("https")
  })
})
