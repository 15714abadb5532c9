import { describe, expect, it } from "vitest"
import { judgeRecord } from "../../src/lib/dns-records.ts"
import type { DnsRecord } from "../../src/worker/domains/contract.ts"

const judge = (record: Pick<DnsRecord, "kind" | "type" | "value">, ...answers: string[]) =>
  judgeRecord({ name: "bounce.example.com", priority: 10, ok: false, ...record }, answers).ok

describe("an SPF record", () => {
  const spf = {
    kind: "MAIL_FROM_SPF",
    type: "TXT",
    value: "v=spf1 include:amazonses.com ~all",
  } as const
  it.each([
    ["as wanted", "v=spf1 include:amazonses.com ~all"],
    ["stricter", "v=spf1 include:amazonses.com -all"],
    [
      "merged with another service",
      "v=spf1 include:_spf.google.com ip4:192.0.2.1 include:amazonses.com ~all",
    ],
    ["in capitals, with spaces and a plus", " V=SPF1  +include:AmazonSES.com. ?all "],
    ["with a redirect", "v=spf1 include:amazonses.com redirect=_spf.example.com"],
    ["beside other texts", "google-site-verification=x", "v=spf1 include:amazonses.com ~all"],
  ])("is right %s", (_, ...answers) => expect(judge(spf, ...answers)).toBe(true))

  it.each([
    ["absent"],
    ["of another service alone", "v=spf1 include:_spf.google.com ~all"],
    ["twice", "v=spf1 include:amazonses.com ~all", "v=spf1 include:_spf.google.com ~all"],
    ["behind `all`", "v=spf1 -all include:amazonses.com"],
    ["as a soft fail", "v=spf1 ~include:amazonses.com -all"],
    ["of another version", "v=spf10 include:amazonses.com"],
    ["with a longer host", "v=spf1 include:amazonses.com.example.net ~all"],
  ])("is wrong %s", (_, ...answers) => expect(judge(spf, ...answers)).toBe(false))
})

describe("a DMARC record", () => {
  const dmarc = { kind: "DMARC", type: "TXT", value: "v=DMARC1; p=none" } as const
  it.each([
    ["stricter", "v=DMARC1; p=reject; rua=mailto:a@example.com"],
    ["without spaces", "v=DMARC1;p=quarantine"],
    ["with spaces and capitals", "v = DMARC1 ; P = None ;"],
    ["without a policy, but with an address for reports", "v=DMARC1; rua=mailto:a@example.com"],
    ["beside other texts", "hello", "v=DMARC1; p=none"],
  ])("is right %s", (_, ...answers) => expect(judge(dmarc, ...answers)).toBe(true))

  it.each([
    ["absent"],
    ["without its separator", "v=DMARC1 p=none"],
    ["without a policy", "v=DMARC1"],
    ["of an unknown policy", "v=DMARC1; p=block"],
    ["with an unknown policy below it", "v=DMARC1; p=none; sp=all"],
    ["twice", "v=DMARC1; p=none", "v=DMARC1; p=reject"],
    ["of another version", "v=DMARC2; p=none"],
    ["in the wrong order", "p=none; v=DMARC1"],
  ])("is not there %s", (_, ...answers) => expect(judge(dmarc, ...answers)).toBe(false))
})

describe("an MX record", () => {
  const mx = { kind: "MAIL_FROM_MX", type: "MX", value: "feedback-smtp.example.net" } as const
  it.each([
    ["as wanted", "10 feedback-smtp.example.net"],
    ["of another priority, alone", "5 Feedback-SMTP.example.net."],
    ["beside others, with its priority", "10 feedback-smtp.example.net", "20 b.example.net"],
  ])("is right %s", (_, ...answers) => expect(judge(mx, ...answers)).toBe(true))

  it.each([
    ["absent"],
    ["of another host", "10 mx.example.net"],
    ["behind another host", "10 mx.example.net", "20 feedback-smtp.example.net"],
  ])("is wrong %s", (_, ...answers) => expect(judge(mx, ...answers)).toBe(false))
})

it("a DKIM key is the same in any order and with spaces", () => {
  const dkim = { kind: "DKIM", type: "TXT", value: "v=DKIM1; k=rsa; p=QUJD" } as const
  expect(judge(dkim, "p=QU JD; v=DKIM1")).toBe(true)
  expect(judge(dkim, "v=DKIM1; p=QUJE")).toBe(false)
  expect(judge(dkim, "v=DKIM1; k=ed25519; p=QUJD")).toBe(false)
})

it("other texts are compared as they are, hosts without regard to case", () => {
  expect(judge({ kind: "PROOF", type: "TXT", value: "edgepost=Ab" }, "edgepost=Ab ")).toBe(true)
  expect(judge({ kind: "PROOF", type: "TXT", value: "edgepost=Ab" }, "edgepost=ab")).toBe(false)
  expect(judge({ kind: "DKIM", type: "CNAME", value: "a.example.net" }, "A.Example.NET.")).toBe(
    true,
  )
})
