import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { NEVER_ANSWERED } from "../../../src/worker/emails/contract.ts"
import { composeExplanation } from "../../../src/worker/emails/explain/compose.ts"
import { explainEmail } from "../../../src/worker/emails/explain/explain.ts"
import type { Entry } from "../../../src/worker/emails/explain/input.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import type { EmailRow } from "../../../src/worker/emails/table.ts"
import { eraseAddress } from "../../../src/worker/erasure/erase.ts"
import { createEraser } from "../../../src/worker/erasure/erased-email.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import type { Provider, SendResult } from "../../../src/worker/providers/provider.ts"
import { MAX_ATTEMPTS } from "../../../src/worker/providers/provider.ts"
import { erasedForm } from "../../../src/worker/suppressions/erased.ts"
import { campaignInput, makeBook } from "../../support/campaign.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { eventually } from "../../support/eventually.ts"
import { acceptForLater } from "../../support/mail.ts"
import { metered } from "../../support/meter.ts"
import { endPauses } from "../../support/providers.ts"
import { makeInbox } from "../../support/receiving.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { warmed } from "../../support/warm.ts"
import { makeClock, testWork } from "../../support/work.ts"

beforeEach(async () => void (await endPauses()))

let team: Team
beforeEach(async () => {
  team = await makeTeam()
})

const explain = async (id: string, by = team) => {
  const { status, body } = await by.api.get(`/emails/${id}/explain`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const accept = (input: object = {}) => acceptForLater(team, { ...input })
const refOf = (emailId: string) => ({ teamId: team.id, emailId })

const change = (id: string, columns: Record<string, string | number | null>) =>
  env.DB.prepare(
    `update emails set ${Object.keys(columns)
      .map((name) => `${name} = ?`)
      .join()} where team_id = ? and id = ?`,
  )
    .bind(...Object.values(columns), team.id, id)
    .run()

const [ANN, BOB, CAT, DAN] = [
  "ann@example.com",
  "bob@example.com",
  "cat@example.com",
  "dan@example.com",
] as const

type Happening = [type: Parameters<typeof reportOf>[1], data?: Parameters<typeof reportOf>[3]]

/** An email to which that happened, a second apart. */
async function happened(happenings: Happening[], input: object = {}): Promise<string> {
  const id = await accept(input)
  await change(id, { status: "sending", attempts: 1 })
  const { work } = testWork()
  const start = Date.now() - 60_000
  await recordEvents(
    work,
    happenings.map(([type, data = {}], index) =>
      reportOf(
        refOf(id),
        type,
        start + index * 1_000,
        { ...(type !== "sent" && { recipients: ["someone@example.com"] }), ...data },
        String(index),
      ),
    ),
  )
  return id
}

/** An email that was dispatched with these answers of the provider, one an attempt. */
async function dispatched(answers: SendResult[], input: object = {}): Promise<string> {
  const id = await accept(input)
  const clock = makeClock(Date.now() + 2 * 3_600_000)
  const { work } = testWork({ clock })
  for (const answer of answers) {
    const provider: Provider = { name: "sandbox", send: async () => answer }
    await dispatchEmails(work, [refOf(id)], { provider })
    clock.advance(3_600_000)
  }
  return id
}

const fault = (reason: string, retryable = true): SendResult => ({ ok: false, retryable, reason })
const lost: SendResult = { ok: false, retryable: true, unanswered: true, reason: "Lost" }

describe("an email that the provider does not have yet", () => {
  it("is scheduled", async () => {
    const id = await accept()
    const body = await explain(id)
    expect(body).toMatchObject({ cause: null, attempts: [] })
    expect(body.summary).toMatch(/^Scheduled for \d{4}/)
    expect(body.waitingFor.what).toBe("its scheduled time")
    expect(Date.parse(body.waitingFor.until)).toBeGreaterThan(Date.now())
  })

  it("is queued", async () => {
    const id = await accept()
    await change(id, { status: "queued", scheduled_at: null, not_before: Date.now() })
    const body = await explain(id)
    expect(body.summary).toMatch(/^Queued/)
    expect(body).toMatchObject({
      cause: null,
      attempts: [],
      waitingFor: { what: "its turn in the queue", until: null },
    })
  })

  it("is being handed over", async () => {
    const id = await accept()
    await change(id, {
      status: "sending",
      attempts: 1,
      unanswered: 1,
      not_before: Date.now() + 40_000,
    })
    const body = await explain(id)
    expect(body.summary).toMatch(/^Sending to the provider: attempt 1 of 6/)
    expect(body).toMatchObject({ cause: null, waitingFor: { what: "the provider's response" } })
  })

  it("waits for its next attempt after a fault", async () => {
    const id = await dispatched([
      fault("Amazon SES: TooManyRequestsException: Maximum sending rate exceeded."),
    ])
    const body = await explain(id)
    expect(body.summary).toMatch(/did not accept the email at attempt 1 of 6/)
    expect(body.cause).toMatchObject({ code: "provider_rate_limited", enhancedStatus: null })
    expect(body.attempts).toEqual([
      {
        at: expect.any(String),
        outcome: "fault",
        answer: expect.stringContaining("TooManyRequests"),
      },
    ])
    expect(body.waitingFor).toEqual({ what: "attempt 2 of 6", until: expect.any(String) })
  })

  it("says once that it is tried again by itself", async () => {
    const body = await explain(await dispatched([fault("The sandbox is briefly unavailable.")]))
    expect(body.next).toEqual(["No action needed. Edgepost retries automatically."])
  })

  it("tells nobody to send again what is tried again by itself", () => {
    const told = composeLost("The SMTP server took the message and did not answer.")
    expect(told.cause?.code).toBe("never_answered")
    expect(told.next).toEqual([expect.stringMatching(/^No action needed/)])
  })

  it("waits for a report when the answer was lost", () => {
    const { summary, waitingFor } = composeLost(null)
    expect(summary).toMatch(/response to attempt 1 of 6 was lost/)
    expect(waitingFor).toEqual({ what: "the provider's report", until: UNTIL })
  })

  it("waits for another turn when nobody has it", async () => {
    const id = await accept()
    await change(id, { status: "sending", attempts: 2, unanswered: 1, not_before: 1 })
    expect((await explain(id)).summary).toMatch(/Waiting in the queue/)
  })
})

const NOW = 1_000_000
const SETTLE_MS = 5 * 60_000
const UNTIL = NOW + SETTLE_MS - 50_000

/** What is told of an email whose first hand-over was not answered. */
function composeLost(lastError: string | null) {
  const email = { status: "sending", attempts: 1, unanswered: 1, notBefore: UNTIL, recipients: [] }
  return composeExplanation({
    email: { ...email, lastError, faults: [], campaignId: null } as unknown as EmailRow,
    ...{ entries: [], isCut: false, suppressed: [], hasContent: true, now: NOW },
    provider: { name: "ses", settleMs: SETTLE_MS },
  })
}

describe("an email that the provider took", () => {
  it("waits for an outcome", async () => {
    const id = await happened([["sent"]])
    const body = await explain(id)
    expect(body.summary).toMatch(
      /^The provider accepted the email at .*Z\. No report yet on someone@/,
    )
    expect(body.cause).toBe(null)
    expect(body.attempts).toEqual([{ at: expect.any(String), outcome: "accepted", answer: null }])
    expect(body.waitingFor.until).toBe(null)
  })

  it.each([
    ["MailboxFull", "mailbox_full", null],
    ["SpamDetected", "taken_for_spam", null],
    [
      "421 4.7.0 [TSS04] Messages from 203.0.113.9 temporarily deferred",
      "rate_limited_by_receiver",
      "4.7.0",
    ],
  ])("is delayed: %s", async (reason, code, enhancedStatus) => {
    const body = await explain(await happened([["sent"], ["delayed", { reason }]]))
    expect(body.summary).toMatch(/Delivery to someone@example.com is delayed/)
    expect(body.cause).toMatchObject({ code, enhancedStatus })
    expect(body.attempts.at(-1)).toMatchObject({ outcome: "delayed", answer: reason })
    expect(body.waitingFor).not.toBe(null)
  })

  it("is delivered, after a delay, opened and clicked", async () => {
    const body = await explain(
      await happened([
        ["sent"],
        ["delayed", { reason: "General" }],
        ["delivered"],
        ["opened"],
        ["clicked", { url: "https://a.test" }],
      ]),
    )
    expect(body.summary).toMatch(
      /^Delivered to someone@example.com at .*Z\. First opened at .* First click at/,
    )
    expect(body).toMatchObject({ cause: null, next: [], waitingFor: null })
    expect(body.attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      "accepted",
      "delayed",
      "delivered",
    ])
  })

  it("bounced for one and was delivered to the other", async () => {
    const to = ["someone@example.com", "other@example.com"]
    const diagnosticCode =
      "smtp; 550-5.1.1 The email account that you tried to reach does not exist."
    const body = await explain(
      await happened(
        [
          ["sent"],
          ["delivered", { recipients: ["other@example.com"] }],
          ["bounced", { bounceType: "Permanent", bounceSubType: "General", diagnosticCode }],
        ],
        { to },
      ),
    )
    expect(body.summary).toMatch(
      /^Hard bounce: someone@example.com could not be reached\. Delivered to other@/,
    )
    expect(body.cause).toEqual({
      code: "mailbox_not_found",
      enhancedStatus: "5.1.1",
      diagnostic: diagnosticCode,
      meaning: "The receiving server has no mailbox with this name.",
    })
    expect(body.next[1]).toMatch(/DELETE \/suppressions/)
    expect(body.waitingFor).toBe(null)
  })

  it("bounced for now", async () => {
    const body = await explain(
      await happened([
        ["sent"],
        ["bounced", { bounceType: "Transient", bounceSubType: "MailboxFull" }],
      ]),
    )
    expect(body.summary).toMatch(/^Soft bounce: someone@example.com could not be reached\./)
    expect(body.cause).toMatchObject({ code: "mailbox_full", diagnostic: null })
    expect(body.next[1]).toMatch(/^Not suppressed/)
  })

  it("bounced, and nobody knows why", async () => {
    const body = await explain(await happened([["sent"], ["bounced"]]))
    expect(body.cause.code).toBe("bounced")
  })

  it.each([
    ["abuse", "complaint_abuse", /^Marked as spam by/],
    ["fraud", "complaint_fraud", /^Marked as spam by/],
    [undefined, "complaint", /^Marked as spam by/],
    ["a new type", "complaint", /^Marked as spam by/],
    ["not-spam", "not_spam", /not spam/],
  ])("has a complaint of type %s", async (complaintFeedbackType, code, summary) => {
    const data = complaintFeedbackType ? { complaintFeedbackType } : {}
    const body = await explain(await happened([["sent"], ["delivered"], ["complained", data]]))
    expect(body.cause.code).toBe(code)
    expect(body.summary).toMatch(summary)
    expect(body.next.length).toBeGreaterThan(0)
  })

  it("has not-spam reports, and still one complaint that counts", async () => {
    const body = await explain(
      await happened([
        ["sent"],
        ["complained", { complaintFeedbackType: "abuse" }],
        ["complained", { complaintFeedbackType: "not-spam" }],
      ]),
    )
    expect(body.cause.code).toBe("complaint_abuse")
  })
})

const to = (address: string, data: object = {}) => ({ recipients: [address], ...data })
const HARD = { bounceType: "Permanent", bounceSubType: "NoEmail" } as const
const SOFT = { bounceType: "Transient", bounceSubType: "MailboxFull" } as const

describe("an email to several recipients", () => {
  it("has a complaint, a hard bounce, a soft bounce and a delivery", async () => {
    const body = await explain(
      await happened(
        [
          ["sent"],
          ["delivered", to(ANN)],
          ["delivered", to(BOB)],
          ["bounced", to(CAT, HARD)],
          ["bounced", to(DAN, SOFT)],
          ["complained", to(ANN, { complaintFeedbackType: "abuse" })],
        ],
        { to: [ANN, BOB, CAT, DAN] },
      ),
    )
    expect(body.summary).toMatch(
      /^Marked as spam by ann@example.com\. Hard bounce: cat@example.com could not be reached\. Soft bounce: dan@example.com could not be reached\. Delivered to bob@example.com at [\d:.TZ-]+\.$/,
    )
    expect(body.next).toEqual([
      expect.stringMatching(/^Do not email/),
      `Suppressed: ${ANN}. 'overrideSuppression' does not apply to complaints.`,
      `Suppressed: ${CAT}. To send again, call DELETE /suppressions/:email.`,
      `Not suppressed: ${DAN}. New email is not blocked.`,
      expect.stringMatching(/complaint rate/),
    ])
    expect(body.waitingFor).toBe(null)
  })

  it("was marked as not spam by one, and bounced for another", async () => {
    const body = await explain(
      await happened(
        [
          ["sent"],
          ["bounced", to(BOB, HARD)],
          ["complained", to(ANN, { complaintFeedbackType: "not-spam" })],
        ],
        { to: [ANN, BOB] },
      ),
    )
    expect(body.summary).toMatch(
      /^Hard bounce: bob@.* could not be reached\. Marked as not spam by ann@/,
    )
    expect(body.next[1]).toMatch(/^Suppressed: bob@/)
  })

  it("bounced for one after its delivery", async () => {
    const happenings: Happening[] = [
      ["sent"],
      ["delivered", to(ANN)],
      ["delivered", to(BOB)],
      ["delivered", to(CAT)],
      ["bounced", to(ANN, HARD)],
    ]
    const { summary } = await explain(await happened(happenings, { to: [ANN, BOB, CAT] }))
    expect(summary).toMatch(/^Hard bounce: ann@.* reached\. Delivered to 2 of 3 recipients/)
  })

  it("waits for the reports that are missing", async () => {
    const one = await explain(
      await happened([["sent"], ["delivered", to(ANN)]], { to: [ANN, BOB] }),
    )
    expect(one.summary).toMatch(/^Delivered to ann@.* at .*Z\. No report yet on bob@example.com\.$/)
    expect(one.next).toEqual([expect.stringMatching(/^No action needed/)])
    expect(one.waitingFor).toEqual({
      what: "the provider's report on bob@example.com",
      until: null,
    })
    const several = await explain(
      await happened([["sent"], ["bounced", to(ANN, HARD)]], { to: [ANN, BOB], cc: [CAT] }),
    )
    expect(several.summary).toMatch(/ No report yet on 2 of 3 recipients\.$/)
    expect(several.waitingFor.what).toBe("the provider's report on 2 of 3 recipients")
  })

  it("is delayed for one, and delivered to the other without a delay", async () => {
    const body = await explain(
      await happened(
        [["sent"], ["delayed", to(BOB, { reason: "General" })], ["delivered", to(ANN)]],
        { to: [ANN, BOB] },
      ),
    )
    expect(body.summary).toMatch(/Z\. Delivery to bob@example.com is delayed\.$/)
    expect(body.next).toEqual(["No action needed. The provider keeps trying for several hours."])
  })

  it.each<[string, Happening[]]>([
    ["sent", []],
    ["delivered", [["delivered", to(ANN)]]],
    ["bounced", [["bounced", to(ANN, SOFT)]]],
    ["complained", [["complained", to(ANN)]]],
    ["failed", [["failed", { reason: "Refused" }]]],
  ])("names the recipient who was skipped: %s", async (status, happenings) => {
    const id = await happened(
      [
        ["suppressed", to(BOB)],
        ...(status === "failed" ? [] : [["sent"] as Happening]),
        ...happenings,
      ],
      { to: [ANN, BOB] },
    )
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body.status).toBe(status)
    const { summary } = await explain(id)
    expect(summary).toMatch(/Skipped because of the suppression list: bob@example.com\./)
    expect(summary).not.toMatch(/no report/)
  })

  it("names no missing report where the timeline is too long to read", () => {
    const delivered = { type: "delivered", occurredAt: 1, data: to(ANN) }
    const told = composeFor("ses", delivered, { isCut: true })
    expect(told).toMatchObject({ summary: expect.stringMatching(/Z\.$/), waitingFor: null })
  })

  it("does not wait for reports of SMTP servers", () => {
    const bounced = { type: "bounced", occurredAt: 1, data: to(ANN, HARD) }
    const told = composeFor("smtp", bounced)
    expect(told.summary).toMatch(/SMTP servers do not report delivery to bob@example.com\.$/)
    expect(told.waitingFor).toBe(null)
  })
})

it("an email that an SMTP server took says where its bounce comes", async () => {
  const get = async (id: string, given: Partial<Env> = {}) => {
    const { work } = testWork({ settings: { PROVIDER: "smtp", ...given } })
    return (await explainEmail(createKeyCtx(work, sha256Hex(team.api.key), "full"), id)).next
  }
  const id = await happened([["sent"]])
  expect(await get(id)).toEqual(["No action needed. Bounces go to the sender's mailbox."])
  await makeInbox(team)
  expect(await get(id)).toEqual(["No action needed. A bounce that comes by mail is shown here."])
  expect(await get(id, { REPORTS_BY_MAIL: "false" })).toEqual([
    "No action needed. Bounces go to the sender's mailbox.",
  ])
})

/** What is told of an email to Ann and Bob of which the timeline has one entry. */
function composeFor(
  provider: "ses" | "smtp",
  entry: object & { type: string },
  { isCut = false } = {},
) {
  const recipients = [ANN, BOB].map((address) => ({ address, as: "to" }))
  return composeExplanation({
    email: { status: entry.type, recipients, faults: [], campaignId: null } as unknown as EmailRow,
    entries: [entry as Entry],
    ...{ isCut, suppressed: [], hasContent: true, now: 2 },
    provider: { name: provider },
  })
}

describe("the suppression list of now", () => {
  const bounce = async (data: object) =>
    happened([["sent"], ["bounced", to(ANN, data)]], { to: ANN })
  const lastAdvice = async (id: string) => (await explain(id)).next[1]
  const SUPPRESSED = `Suppressed: ${ANN}. To send again, call DELETE /suppressions/:email.`
  const FREE = `Not suppressed: ${ANN}. New email is not blocked.`

  it("does not have an address that was removed after its hard bounce", async () => {
    const id = await bounce(HARD)
    expect(await lastAdvice(id)).toBe(SUPPRESSED)
    await team.api.delete(`/suppressions/${ANN}`)
    expect(await lastAdvice(id)).toBe(FREE)
  })

  it("has an address that was added after its soft bounce", async () => {
    const id = await bounce(SOFT)
    expect(await lastAdvice(id)).toBe(FREE)
    await team.api.post("/suppressions", { email: ANN })
    expect(await lastAdvice(id)).toBe(SUPPRESSED)
  })

  it("is the one of the email's team", async () => {
    const id = await bounce(SOFT)
    await (await makeTeam()).api.post("/suppressions", { email: ANN })
    expect(await lastAdvice(id)).toMatch(/^Not suppressed/)
  })

  it("does not have an address that was removed after its complaint", async () => {
    const id = await happened([["sent"], ["complained", to(ANN)]], { to: ANN })
    expect(await lastAdvice(id)).toMatch(/^Suppressed: ann@example.com\. 'overrideSuppression'/)
    await team.api.delete(`/suppressions/${ANN}`)
    expect(await lastAdvice(id)).toBe(FREE)
    await team.api.post("/suppressions", { email: ANN })
    expect(await lastAdvice(id)).toBe(SUPPRESSED)
  })

  it("says how many of the addresses it has", async () => {
    const id = await happened(
      [["sent"], ...[ANN, BOB, CAT].map((one): Happening => ["bounced", to(one, HARD)])],
      { to: [ANN, BOB, CAT] },
    )
    expect(await lastAdvice(id)).toMatch(/^Suppressed: 3 of 3 recipients\. To send again/)
    await team.api.delete(`/suppressions/${ANN}`)
    expect((await explain(id)).next.slice(1)).toEqual([
      "Suppressed: 2 of 3 recipients. To send again, call DELETE /suppressions/:email.",
      FREE,
    ])
  })

  it.each(["before", "after"])("has an address that was erased %s the send", async (when) => {
    const ctx = createKeyCtx(testWork().work, sha256Hex(team.api.key), "full")
    if (when === "before") await eraseAddress(ctx, ANN)
    const id =
      when === "before"
        ? await accept({ to: ANN, onSuppressed: "skip" })
        : await bounce({ ...HARD, diagnosticCode: `550 5.1.1 <${ANN}>` })
    if (when === "after") await eraseAddress(ctx, ANN)
    expect(await lastAdvice(id)).toMatch(/^Suppressed: .* DELETE/)
  })
})

describe("a failed email is explained", () => {
  it("by a refusal", async () => {
    const reason = "Amazon SES: MessageRejected: Email address is not verified. The following …"
    const body = await explain(await dispatched([fault(reason, false)]))
    expect(body.summary).toBe("Failed: the email was not sent.")
    expect(body.cause).toMatchObject({ code: "sender_not_verified", diagnostic: reason })
    expect(body.attempts).toEqual([{ at: expect.any(String), outcome: "failed", answer: reason }])
  })

  it("by six attempts in vain", async () => {
    const reason = "The SMTP server could not be reached or did not answer."
    const body = await explain(await dispatched(Array(MAX_ATTEMPTS).fill(fault(reason))))
    expect(body.summary).toMatch(/^Failed after 6 attempts/)
    expect(body.cause.code).toBe("provider_unreachable")
    expect(body.attempts).toHaveLength(MAX_ATTEMPTS)
  })

  it("by a provider that never answered", async () => {
    const id = await accept()
    const failed = reportOf(refOf(id), "failed", Date.now(), { reason: NEVER_ANSWERED })
    await recordEvents(testWork().work, [failed])
    const body = await explain(id)
    expect(body.summary).toMatch(/did not respond/)
    expect(body.cause.code).toBe("never_answered")
  })

  it("by the purge of its content", async () => {
    const id = await accept()
    await env.DB.prepare("delete from email_contents where email_id = ?").bind(id).run()
    const clock = makeClock(Date.now() + 2 * 3_600_000)
    await dispatchEmails(testWork({ clock }).work, [refOf(id)])
    const body = await explain(id)
    expect(body.cause.code).toBe("content_purged")
    expect(body.summary).toMatch(/Its content has been deleted\.$/)
  })

  it("as sent at last, after a fault", async () => {
    const acceptedAt = Date.now() + 5 * 3_600_000
    const accepted: SendResult = { ok: true, providerMessageId: "m", acceptedAt }
    const body = await explain(await dispatched([fault("Busy"), lost, accepted]))
    expect(body.attempts).toEqual([
      { at: expect.any(String), outcome: "fault", answer: "Busy" },
      { at: expect.any(String), outcome: "fault", answer: "Lost" },
      { at: expect.any(String), outcome: "accepted", answer: expect.stringContaining("again") },
    ])
  })
})

describe("a cancelled email is explained", () => {
  it("by a call", async () => {
    const id = await accept()
    await team.api.post(`/emails/${id}/cancel`)
    const body = await explain(id)
    expect(body.summary).toBe("Cancelled before it was sent.")
    expect(body).toMatchObject({
      cause: { code: "cancelled_by_call" },
      attempts: [],
      waitingFor: null,
    })
  })

  it("by a recipient who was suppressed", async () => {
    const to = "late@example.com"
    const id = await accept({ to })
    await team.api.post("/suppressions", { email: to })
    const clock = makeClock(Date.now() + 2 * 3_600_000)
    await dispatchEmails(testWork({ clock }).work, [refOf(id)])
    const body = await explain(id)
    expect(body.summary).toBe(`Cancelled because of the suppression list: ${to}.`)
    expect(body.cause.code).toBe("suppressed_recipient")
    expect(body.next[1]).toMatch(/^Suppressed: late@/)
    await team.api.delete(`/suppressions/${to}`)
    expect((await explain(id)).next[1]).toBe(`Not suppressed: ${to}. New email is not blocked.`)
  })

  it("by several recipients who were suppressed", async () => {
    const id = await accept({ to: [ANN, BOB, CAT] })
    for (const email of [ANN, BOB]) await team.api.post("/suppressions", { email })
    await team.api.delete(`/suppressions/${BOB}`)
    const data = { reason: "suppressed_recipient", recipients: [ANN, BOB] }
    await recordEvents(testWork().work, [reportOf(refOf(id), "cancelled", Date.now(), data)])
    const body = await explain(id)
    expect(body.summary).toBe("Cancelled because of the suppression list: 2 of 3 recipients.")
    expect(body.next.slice(1)).toEqual([
      `Suppressed: ${ANN}. To send again, call DELETE /suppressions/:email.`,
      `Not suppressed: ${BOB}. New email is not blocked.`,
    ])
  })

  it.each([
    [[ANN], ANN],
    [[ANN, BOB], "2 of 2 recipients"],
  ])("by %j, suppressed before it was accepted", async (to, who) => {
    for (const email of to) await team.api.post("/suppressions", { email })
    const body = await explain(await accept({ to, onSuppressed: "skip" }))
    const summary = `Cancelled because of the suppression list: ${who}.`
    expect(body).toMatchObject({ summary, attempts: [], waitingFor: null })
    expect(body.cause.code).toBe("suppressed_recipient")
    expect(body.next[1]).toMatch(/^Suppressed: .* DELETE \/suppressions/)
  })

  it.each(["campaign_cancelled", "unsubscribed", "erased"])("by %s", async (reason) => {
    const id = await accept()
    await recordEvents(testWork().work, [reportOf(refOf(id), "cancelled", Date.now(), { reason })])
    expect((await explain(id)).cause.code).toBe(reason)
  })

  it("before it is cancelled itself, by its campaign", async () => {
    const { body: campaign } = await team.api.post(
      "/campaigns",
      campaignInput(team, await makeBook(team, [])),
    )
    const id = await accept()
    await change(id, { status: "queued", campaign_id: campaign.id })
    await env.DB.prepare("update campaigns set status = 'cancelled' where id = ?")
      .bind(campaign.id)
      .run()
    expect((await explain(id)).waitingFor.what).toBe("cancellation")
  })
})

describe("what has gone since", () => {
  it("is the content, which was purged after its days", async () => {
    const id = await happened([["sent"], ["delivered"]])
    expect((await explain(id)).summary).not.toMatch(/deleted/)
    await env.DB.prepare("delete from email_contents where email_id = ?").bind(id).run()
    expect((await explain(id)).summary).toMatch(/Its content has been deleted\.$/)
  })

  it("is a recipient who was erased: no address is shown", async () => {
    const id = await happened([
      ["sent"],
      ["bounced", { bounceType: "Permanent", diagnosticCode: "550 5.1.1 <someone@example.com>" }],
    ])
    const eraser = createEraser(testWork().work.settings, "someone@example.com")
    const { results } = await env.DB.prepare("select id, data from email_events where email_id = ?")
      .bind(id)
      .all<{ id: string; data: string }>()
    for (const event of results) {
      const data = JSON.stringify(eraser.eraseReport(JSON.parse(event.data)))
      await env.DB.prepare("update email_events set data = ? where id = ?")
        .bind(data, event.id)
        .run()
    }
    await change(id, {
      recipients: JSON.stringify([
        { address: erasedForm(testWork().work.settings, "someone@example.com"), as: "to" },
      ]),
    })
    const body = await explain(id)
    expect(body.summary).toMatch(
      /^Hard bounce: the recipient could not be reached\. A recipient's address/,
    )
    expect(JSON.stringify(body)).not.toMatch(/someone|@erased/)
  })
})

describe("through the sandbox", () => {
  it.each([
    ["success", null],
    ["bounce", "mailbox_not_found"],
    ["suppressionlist", "suppressed_by_provider"],
    ["softbounce", "mailbox_full"],
    ["complaint", "complaint_abuse"],
    ["notspam", "not_spam"],
    ["delay", null],
    ["reject", "refused_by_sandbox"],
  ])("%s has the cause %s", async (mailbox, code) => {
    const own = await makeTeam()
    const { body } = await own.api.post("/emails", {
      from: `a@${own.domain}`,
      to: `${mailbox}@simulator.amazonses.com`,
      subject: "Hello",
      text: "Hi",
    })
    await eventually(async () => {
      const { summary, cause, waitingFor } = await explain(body.id, own)
      expect([summary, cause?.code ?? null, waitingFor]).toEqual([expect.any(String), code, null])
    })
  })
})

describe("the cost", () => {
  it("is one round trip and few rows", async () => {
    const id = await happened([["sent"], ["delivered"]])
    await warmed(team.api)
    const meter = await metered(() => explain(id))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(35)
  })

  it("stays bounded on a long timeline, whose last report is found", async () => {
    const id = await happened([["sent"], ["delivered"]])
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
       insert into email_events (team_id, email_id, id, type, occurred_at, data)
       select ?, ?, printf('evt_01Z%023d', i), 'opened', ? + i, '{}' from n`,
    )
      .bind(team.id, id, Date.now())
      .run()
    await env.DB.prepare(
      `insert into email_events (team_id, email_id, id, type, occurred_at, data)
       values (?, ?, 'evt_01ZZ', 'complained', ?, '{"complaintFeedbackType":"fraud"}')`,
    )
      .bind(team.id, id, Date.now() + 10_000)
      .run()
    await change(id, { status: "complained" })
    let body: { cause: { code: string }; attempts: unknown[] } | undefined
    const meter = await metered(async () => {
      body = await explain(id)
    })
    expect(body?.cause.code).toBe("complaint_fraud")
    expect(meter.rowsRead).toBeLessThanOrEqual(330)
  })

  it("grows with the recipients that are suppressed", async () => {
    const to = Array.from({ length: 50 }, (_, index) => `p${index}@example.com`)
    const id = await happened([["sent"], ["bounced", { ...HARD, recipients: to }]], { to })
    await warmed(team.api)
    const meter = await metered(() => explain(id))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(230)
  })

  it("shows at most a hundred attempts", async () => {
    const to = Array.from({ length: 50 }, (_, index) => `p${index}@example.com`)
    const each = (type: "delayed" | "delivered") =>
      to.map((one): Happening => [type, { recipients: [one] }])
    const body = await explain(
      await happened([["sent"], ...each("delayed"), ...each("delivered")], { to }),
    )
    expect(body.attempts.length).toBe(100)
    expect(body.summary).toMatch(/^Delivered to 50 of 50 recipients/)
  })
})
