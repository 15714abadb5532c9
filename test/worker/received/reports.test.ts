import { beforeAll, describe, expect, it } from "vitest"
import {
  bounceAddress,
  readReportAddress,
} from "../../../src/worker/received/reading/report-addresses.ts"
import { makeCampaign, readers, start } from "../../support/campaign.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { createDriver } from "../../support/driver.ts"
import { endPauses } from "../../support/providers.ts"
import { makeInbox, messageTo, receive } from "../../support/receiving.ts"
import { receivedBy, smtpSettings } from "../../support/smtp/inbox.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const { settings } = testWork().work

let team: Team
beforeAll(async () => {
  team = await makeTeam()
  await makeInbox(team)
})

let count = 0
const newAddress = () => `person${++count}@elsewhere.example.net`

/** An email that was sent, without any outcome yet. */
async function sendTo(to: string | string[], { api, domain }: Team = team): Promise<string> {
  const { body } = await api.post("/emails", {
    ...{ from: `a@${domain}`, to, subject: "Hi", text: "Hi" },
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  })
  return body.id
}

const read = async (id: string) => (await team.api.get(`/emails/${id}`)).body
const isSuppressed = async (email: string) => {
  const { body } = await team.api.get("/suppressions?limit=100")
  return body.data.some((one: { email: string }) => one.email === email)
}

const report = (type: string, part: string, groups: string[], headers: string[] = []) =>
  messageTo(
    "nobody@example.com",
    [
      "MIME-Version: 1.0",
      ...headers,
      `Content-Type: multipart/report; report-type=${type}; boundary="=_b"`,
    ],
    [
      ...["--=_b", "Content-Type: text/plain", "", "Your message could not be delivered."],
      ...["--=_b", `Content-Type: ${part}`, "", groups.join("\r\n\r\n"), ""],
      ...["--=_b", "Content-Type: message/rfc822", "", "From: a@b.test", "", "Hi", "--=_b--", ""],
    ].join("\r\n"),
  )
const bounce = (groups: string[]) =>
  report("delivery-status", "message/delivery-status", groups, ["Auto-Submitted: auto-replied"])

/** As their servers write them: `X` is the address. */
const MAKERS: [string, string[], object][] = [
  [
    "Postfix, no such user",
    [
      "Reporting-MTA: dns; mail.example.com\r\nX-Postfix-Queue-ID: 4bXy\r\nArrival-Date: Fri, 27 Nov 2026 10:00:00 +0000 (UTC)",
      "Final-Recipient: rfc822; X\r\nOriginal-Recipient: rfc822;X\r\nAction: failed\r\nStatus: 5.1.1\r\nRemote-MTA: dns; mx.example.net\r\nDiagnostic-Code: smtp; 550 5.1.1 <X>: Recipient address rejected:\r\n    User unknown",
    ],
    {
      ...{ type: "bounced", bounceType: "Permanent" },
      diagnosticCode: "smtp; 550 5.1.1 <X>: Recipient address rejected:    User unknown",
    },
  ],
  [
    "Postfix, given up after days",
    [
      "Reporting-MTA: dns; mail.example.com",
      "Final-Recipient: rfc822; X\r\nAction: failed\r\nStatus: 4.4.1\r\nDiagnostic-Code: X-Postfix; connect to mx.example.net: Connection timed out",
    ],
    { type: "bounced", bounceType: "Transient" },
  ],
  [
    "Postfix, still trying",
    [
      "Reporting-MTA: dns; mail.example.com",
      "Final-Recipient: rfc822; X\r\nAction: delayed\r\nStatus: 4.4.1\r\nWill-Retry-Until: Wed, 2 Dec 2026 10:00:00 +0000 (UTC)",
    ],
    { type: "delayed" },
  ],
  [
    "Exim, whose status says nothing",
    [
      "Reporting-MTA: dns; exim.example.com",
      "Action: failed\r\nFinal-Recipient: rfc822;X\r\nStatus: 5.0.0\r\nRemote-MTA: dns; mx.example.net\r\nDiagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist",
    ],
    { type: "bounced", bounceType: "Permanent" },
  ],
  [
    "Exchange, refused by policy",
    [
      "Reporting-MTA: dns;AM0PR01.eurprd01.prod.exchangelabs.com\r\nReceived-From-MTA: dns;mail.example.com",
      "Final-Recipient: rfc822;X\r\nAction: failed\r\nStatus: 5.7.1\r\nDiagnostic-Code: smtp;550 5.7.1 Message rejected due to content restrictions\r\nX-Display-Name: Person",
    ],
    { type: "bounced", bounceType: "Undetermined" },
  ],
  [
    "Exchange, unknown recipient",
    [
      "Reporting-MTA: dns;server.example.com",
      "Final-recipient: RFC822;X\r\nAction: Failed\r\nStatus: 5.1.10\r\nDiagnostic-code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup",
    ],
    { type: "bounced", bounceType: "Permanent" },
  ],
  [
    "Gmail, full mailbox",
    [
      "Reporting-MTA: dns; googlemail.com\r\nArrival-Date: Fri, 27 Nov 2026 02:00:00 -0800 (PST)\r\nX-Original-Message-ID: <1@example.com>",
      "Final-Recipient: rfc822; X\r\nAction: failed\r\nStatus: 5.2.2\r\nDiagnostic-Code: smtp; 552-5.2.2 The recipient's inbox is out of storage space.\r\nLast-Attempt-Date: Fri, 27 Nov 2026 02:00:01 -0800 (PST)",
    ],
    { type: "bounced", bounceType: "Undetermined" },
  ],
  [
    "Amazon, sender refused",
    [
      "Reporting-MTA: dns; a1-2.smtp-out.amazonses.com",
      "Action: failed\r\nFinal-Recipient: rfc822; X\r\nDiagnostic-Code: smtp; 501 5.1.8 Sender domain not found\r\nStatus: 5.1.8",
    ],
    { type: "bounced", bounceType: "Undetermined" },
  ],
  [
    "a forwarded address that only the other server knows",
    [
      "Reporting-MTA: dns; forwarder.example.net",
      "Original-Recipient: rfc822;elsewhere@example.org\r\nFinal-Recipient: rfc822; final@example.org\r\nAction: failed\r\nStatus: 5.1.1",
    ],
    { type: "bounced", bounceType: "Permanent" },
  ],
  [
    "a report of success",
    [
      "Reporting-MTA: dns; a.example",
      "Final-Recipient: rfc822; X\r\nAction: delivered\r\nStatus: 2.0.0",
    ],
    { type: "delivered" },
  ],
]

describe("a bounce by mail", () => {
  it.each(MAKERS)("becomes an outcome: %s", async (_, groups, expected) => {
    const address = newAddress()
    const emailId = await sendTo(address)
    const message = bounce(groups.map((group) => group.replaceAll("X", address)))
    const to = bounceAddress(settings, { teamId: team.id, emailId })
    const received = await receive(team, to, message, "")
    expect(received).toMatchObject({ kind: "bounce", threadId: null })
    const said = JSON.parse(JSON.stringify(expected).replaceAll("X", address))
    const { events, status } = await read(emailId)
    expect(events).toEqual([expect.objectContaining({ ...said, recipients: [address] })])
    expect(status).toBe(
      { bounced: "bounced", delivered: "delivered" }[said.type as string] ?? "scheduled",
    )
    expect(await isSuppressed(address)).toBe(said.bounceType === "Permanent")
    await receive(team, to, message, "")
    expect((await read(emailId)).events).toHaveLength(1)
  })

  it("has a status for each recipient", async () => {
    const [gone, late, other] = [newAddress(), newAddress(), newAddress()]
    const emailId = await sendTo([gone, late, other])
    const message = bounce([
      "Reporting-MTA: dns; a.example",
      `Final-Recipient: rfc822; ${gone.toUpperCase()}\r\nAction: failed\r\nStatus: 5.1.1`,
      `Final-Recipient: rfc822; ${late}\r\nAction: delayed\r\nStatus: 4.2.2`,
      "Final-Recipient: rfc822; stranger@example.org\r\nAction: failed\r\nStatus: 5.1.1",
    ])
    await receive(team, bounceAddress(settings, { teamId: team.id, emailId }), message, "")
    const { events } = await read(emailId)
    const said = events.map(({ type, recipients }: Record<string, unknown>) => [type, recipients])
    expect(said).toEqual(
      expect.arrayContaining([
        ["bounced", [gone]],
        ["delayed", [late]],
        ["bounced", undefined],
      ]),
    )
    expect(await isSuppressed("stranger@example.org")).toBe(false)
  })

  it("without our token, or with a forged one, changes nothing", async () => {
    const address = newAddress()
    const emailId = await sendTo(address)
    const ref = { teamId: team.id, emailId }
    const message = bounce([
      "Reporting-MTA: dns; a.example",
      `Final-Recipient: rfc822; ${address}\r\nAction: failed\r\nStatus: 5.1.1`,
    ])
    const to = bounceAddress(settings, ref)
    const forged = [
      to.replace(/(.)@/, (_, last) => `${last === "1" ? "2" : "1"}@`),
      to.replace("b+", "u+"),
      bounceAddress({ ...settings, SIGNING_KEY: "x".repeat(32) }, ref),
      "b+1@in.edgepost.test",
    ]
    for (const one of forged) {
      expect(readReportAddress(settings, one)).toBeNull()
      const query = new URLSearchParams({ to: one, from: "" })
      expect((await team.api.post(`/received-emails?${query}`, message)).status).toBe(404)
    }
    const stranger = await makeTeam()
    await makeInbox(stranger)
    const query = new URLSearchParams({ to, from: "" })
    expect((await stranger.api.post(`/received-emails?${query}`, message)).status).toBe(404)
    const received = await receive(team, `support@${team.domain}`, message, "")
    expect(received.kind).toBe("bounce")
    expect(await read(emailId)).toMatchObject({ status: "scheduled", events: [] })
    expect(await isSuppressed(address)).toBe(false)
  })
})

describe("a complaint by mail", () => {
  const complaint = (...fields: string[]) =>
    report("feedback-report", "message/feedback-report", [
      ["User-Agent: SomeFBL/1.0", "Version: 1", ...fields].join("\r\n"),
    ])

  it.each([
    ["abuse", true],
    ["not-spam", false],
  ])("of type %s suppresses: %s", async (feedback, suppresses) => {
    const address = newAddress()
    const emailId = await sendTo([address, newAddress()])
    const mailFrom = bounceAddress(settings, { teamId: team.id, emailId })
    const message = complaint(
      `Feedback-Type: ${feedback}`,
      `Original-Mail-From: <${mailFrom}>`,
      `Original-Rcpt-To: <${address}>`,
    )
    const received = await receive(team, `support@${team.domain}`, message)
    expect(received).toMatchObject({ kind: "complaint", threadId: null })
    expect((await read(emailId)).events).toEqual([
      expect.objectContaining({
        ...{ type: "complained", complaintFeedbackType: feedback, recipients: [address] },
      }),
    ])
    expect(await isSuppressed(address)).toBe(suppresses)
  })

  it("without our token, or about authentication, changes nothing", async () => {
    const address = newAddress()
    const emailId = await sendTo(address)
    const mailFrom = `Original-Mail-From: <${bounceAddress(settings, { teamId: team.id, emailId })}>`
    await receive(
      team,
      `support@${team.domain}`,
      complaint("Feedback-Type: abuse", `Original-Rcpt-To: <${address}>`),
    )
    await receive(
      team,
      `support@${team.domain}`,
      complaint("Feedback-Type: auth-failure", mailFrom),
    )
    expect((await read(emailId)).events).toEqual([])
  })
})

it("mail to the address of a campaign's header unsubscribes, and counts for the campaign", async () => {
  const [reader = ""] = readers(1)
  const campaignId = await makeCampaign(team, [reader])
  const driver = createDriver()
  await start(team, campaignId)
  await driver.pass()
  await driver.drain(["CAMPAIGNS", "SENDS_BULK"])
  const { body } = await team.api.get(`/sandbox/messages?to=${encodeURIComponent(reader)}`)
  const headers = Object.entries<string>(body.data[0].headers)
  const [, header = ""] = headers.find(([name]) => /^list-unsubscribe$/i.test(name)) ?? []
  const [, address = ""] = /^<https?:[^>]+>, <mailto:(u\+[^>]+)>$/.exec(header) ?? []
  const received = await receive(team, address, messageTo(address), "")
  expect(received).toMatchObject({ kind: "unsubscribe", threadId: null })
  const campaign = (await team.api.get(`/campaigns/${campaignId}`)).body
  expect(campaign.counts.unsubscribed).toBe(1)
  const contacts = await team.api.get(`/contact-books/${campaign.bookId}/contacts`)
  expect(contacts.body.data).toMatchObject([{ subscribed: false, unsubscribeReason: "mail" }])
  await receive(team, address, messageTo(address), "")
  expect((await team.api.get(`/campaigns/${campaignId}`)).body.counts.unsubscribed).toBe(1)

  const path = `/contact-books/${campaign.bookId}/contacts`
  await team.api.patch(`${path}/${contacts.body.data[0].id}`, { subscribed: true })
  await team.api.delete(`${path}/${contacts.body.data[0].id}`)
  await receive(team, address, messageTo(address), "")
  await team.api.post(`${path}/import`, { csv: `email\n${reader}` })
  expect((await team.api.get(path)).body.data).toMatchObject([{ subscribed: false }])
})

it("provider smtp hands over the address for bounces where the domain and the host receive", async () => {
  const deaf = await makeTeam()
  await endPauses()
  const senders = [
    { sender: team, takesBounces: true },
    { sender: deaf, takesBounces: false },
    { sender: team, given: { REPORTS_BY_MAIL: "false" }, takesBounces: false },
    { sender: team, given: { BASE_URL: "https://edgepost.demo.workers.dev" }, takesBounces: false },
  ]
  for (const { sender, given, takesBounces } of senders) {
    const to = newAddress()
    const emailId = await sendTo(to, sender)
    const ref = { teamId: sender.id, emailId }
    const clock = makeClock(Date.now() + 7_200_000)
    const { work, settled } = testWork({ clock, settings: { ...smtpSettings(), ...given } })
    await dispatchEmails(work, [ref])
    await settled()
    const [mail] = await receivedBy(to)
    expect(mail?.from).toBe(takesBounces ? bounceAddress(settings, ref) : `a@${sender.domain}`)
  }
})
