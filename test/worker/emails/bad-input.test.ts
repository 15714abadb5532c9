import { beforeAll, describe, expect, it } from "vitest"
import { DAY_MS } from "../../../src/lib/time.ts"
import { makeTeam, type Team } from "../../support/team.ts"

const base64 = (bytes: number) => Buffer.alloc(bytes, 65).toString("base64")
const attachment = (more: object = {}) => ({ filename: "a.txt", content: "aGk=", ...more })
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))
/** `{ a: { a: … 1 } }`, as many objects in one another. */
const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`)
const inYears = (years: number) => new Date(Date.now() + (years * 366 + 2) * DAY_MS).toISOString()

/** What is changed of a message that is fine, and the path that the refusal must name. */
const CASES: [name: string, change: Record<string, unknown>, path: (string | number)[]][] = [
  ["no from", { from: undefined }, ["from"]],
  ["a null from", { from: null }, ["from"]],
  ["a from that is a number", { from: 1 }, ["from"]],
  ["a from that is a list", { from: ["a@demo.test"] }, ["from"]],
  ["an empty from", { from: "" }, ["from"]],
  ["a from without a domain", { from: "sender" }, ["from"]],
  ["a from with one label", { from: "sender@localhost" }, ["from"]],
  ["a from with two at signs", { from: "a@b@demo.test" }, ["from"]],
  ["a from with a space", { from: "a b@demo.test" }, ["from"]],
  ["a from with an empty label", { from: "a@demo..test" }, ["from"]],
  ["a from with a leading dot", { from: ".a@demo.test" }, ["from"]],
  ["a from with a double dot", { from: "a..b@demo.test" }, ["from"]],
  ["a from with a path", { from: "a@demo.test/x" }, ["from"]],
  ["a from with an address literal", { from: "a@[127.0.0.1]" }, ["from"]],
  ["a from with an IP address", { from: "a@127.0.0.1" }, ["from"]],
  ["a from that is too long", { from: `${"n".repeat(310)} <a@demo.test>` }, ["from"]],
  ["a from whose local part is too long", { from: `${"a".repeat(65)}@demo.test` }, ["from"]],
  ["a from with a label that is too long", { from: `a@${"a".repeat(64)}.test` }, ["from"]],
  ["a from with a hyphen at the start", { from: "a@-demo.test" }, ["from"]],
  ["a from with two addresses", { from: "a@demo.test, b@demo.test" }, ["from"]],
  ["a from with unclosed brackets", { from: "Name <a@demo.test" }, ["from"]],
  ["a from with brackets in its name", { from: "Na<me <a@demo.test>" }, ["from"]],
  ["a from with an unclosed quote", { from: '"Name <a@demo.test>' }, ["from"]],
  ["CR LF in the from's name", { from: "Name\r\nBcc: x@y.zz <a@demo.test>" }, ["from"]],
  ["LF in the from's address", { from: "a@demo.test\n" }, ["from"]],
  ["NUL in the from", { from: "a\u0000@demo.test" }, ["from"]],
  ["no to", { to: undefined }, ["to"]],
  ["a null to", { to: null }, ["to"]],
  ["an empty list of to", { to: [] }, ["to"]],
  ["a to that is no address", { to: "nobody" }, ["to"]],
  ["a to of which one is no address", { to: ["a@b.co", "nobody"] }, ["to", 1]],
  ["a to with a number in it", { to: ["a@b.co", 7] }, ["to", 1]],
  ["a to that is an object", { to: { email: "a@b.co" } }, ["to"]],
  ["LF in a to", { to: "a@b.co\nBcc: x@y.zz" }, ["to"]],
  ["CR in a to's name", { to: ["Na\rme <a@b.co>"] }, ["to", 0]],
  ["51 recipients", { to: many(51, (index) => `a${index}@b.co`) }, ["to"]],
  [
    "51 recipients over to, cc and bcc",
    {
      to: many(20, (i) => `a${i}@b.co`),
      cc: many(20, (i) => `c${i}@b.co`),
      bcc: many(11, (i) => `d${i}@b.co`),
    },
    ["to"],
  ],
  ["a cc that is no address", { cc: "nobody" }, ["cc"]],
  ["a null cc", { cc: null }, ["cc"]],
  ["LF in a cc", { cc: ["a@b.co\n"] }, ["cc", 0]],
  ["a bcc that is no address", { bcc: ["nobody"] }, ["bcc", 0]],
  ["LF in a bcc", { bcc: "Na\nme <a@b.co>" }, ["bcc"]],
  ["a replyTo that is no address", { replyTo: "nobody" }, ["replyTo"]],
  ["LF in a replyTo", { replyTo: ["a@b.co\r\nX: y"] }, ["replyTo", 0]],
  ["no subject", { subject: undefined }, ["subject"]],
  ["an empty subject", { subject: "" }, ["subject"]],
  ["a subject of spaces", { subject: "   " }, ["subject"]],
  ["a subject that is a number", { subject: 5 }, ["subject"]],
  ["a subject of 999 characters", { subject: "s".repeat(999) }, ["subject"]],
  ["LF in the subject", { subject: "Hello\nBcc: x@y.zz" }, ["subject"]],
  ["CR in the subject", { subject: "Hello\rBcc: x@y.zz" }, ["subject"]],
  ["a subject of 500 emoji", { subject: "👋".repeat(500) }, ["subject"]],
  ["half a surrogate pair in the subject", { subject: "a\ud800b" }, ["subject"]],
  ["half a surrogate pair in a name", { from: "A\udc00 <a@demo.test>" }, ["from"]],
  ["a letter that lower-cases to another one", { to: "\u212aelvin@example.com" }, ["to"]],
  ["a tag of 129 emoji", { tags: { a: "👋".repeat(129) } }, ["tags", "a"]],
  ["the tag __proto__", JSON.parse('{"tags":{"__proto__":"p","a":"b"}}'), ["tags", "__proto__"]],
  ["the header __proto__", JSON.parse('{"headers":{"__proto__":"p"}}'), ["headers", "__proto__"]],
  ["LF at the subject's end", { subject: "Hello\n" }, ["subject"]],
  ["a tab in the subject", { subject: "Hel\tlo" }, ["subject"]],
  ["a line separator in the subject", { subject: "Hello\u2028you" }, ["subject"]],
  ["neither html nor text nor template", { text: undefined }, ["html"]],
  ["html and text that are empty", { html: "", text: "" }, ["html"]],
  ["html that is an object", { html: {} }, ["html"]],
  ["a null text", { text: null }, ["text"]],
  ["html of 5,000,001 characters", { html: "h".repeat(5_000_001) }, ["html"]],
  ["text of 5,000,001 characters", { text: "t".repeat(5_000_001) }, ["text"]],
  ["a template beside text", { template: "welcome" }, ["template"]],
  ["an empty template", { template: "", text: undefined }, ["template"]],
  ["variables without a template", { variables: { a: 1 } }, ["variables"]],
  [
    "variables that are a list",
    { variables: [], template: "welcome", text: undefined },
    ["variables"],
  ],
  [
    "variables of nine levels",
    { variables: nested(9), template: "welcome", text: undefined },
    ["variables"],
  ],
  [
    "variables of 5,000 levels",
    { variables: nested(5_000), template: "welcome", text: undefined },
    ["variables"],
  ],
  [
    "a variable named __proto__",
    { variables: JSON.parse('{"__proto__":1}'), template: "welcome", text: undefined },
    ["variables", "__proto__"],
  ],
  [
    "201 variables",
    {
      variables: Object.fromEntries(many(201, (i) => [`v${i}`, 1])),
      template: "welcome",
      text: undefined,
    },
    ["variables"],
  ],
  [
    "more than 64 KiB of variables",
    { variables: { a: "x".repeat(65_536) }, template: "welcome", text: undefined },
    ["variables"],
  ],
  ...[{ a: "b\ud800" }, { a: { b: ["\udc00"] } }].map((variables): [string, object, string[]] => [
    `half a surrogate pair in the variables ${JSON.stringify(variables)}`,
    { variables, template: "welcome", text: undefined },
    ["variables"],
  ]),
  ["headers that are a list", { headers: [] }, ["headers"]],
  ["a header that is a number", { headers: { "X-A": 1 } }, ["headers", "X-A"]],
  ["a header's name with a space", { headers: { "X A": "b" } }, ["headers", "X A"]],
  ["a header's name with a colon", { headers: { "X:A": "b" } }, ["headers", "X:A"]],
  ["an empty header name", { headers: { "": "b" } }, ["headers", ""]],
  [
    "a header's name of 81 characters",
    { headers: { ["X".repeat(81)]: "b" } },
    ["headers", "X".repeat(81)],
  ],
  ["LF in a header's name", { headers: { "X-A\nBcc": "b" } }, ["headers", "X-A\nBcc"]],
  ["CR LF in a header's value", { headers: { "X-A": "b\r\nBcc: x@y.zz" } }, ["headers", "X-A"]],
  ["LF in a header's value", { headers: { "X-A": "b\n" } }, ["headers", "X-A"]],
  ...["a@x.test", "<a b@x.test>", "<a@x.test>\r\nBcc: b@x.test", "<@x.test>", "<a@x..test>"].map(
    (messageId): [string, object, string[]] => [
      `the Message-ID ${JSON.stringify(messageId)}`,
      { messageId },
      ["messageId"],
    ],
  ),
  ["a Message-ID of another domain", { messageId: "<a@other.test>" }, ["messageId"]],
  [
    "a header's value of 901 characters",
    { headers: { "X-A": "b".repeat(901) } },
    ["headers", "X-A"],
  ],
  ...[
    "To",
    "cc",
    "BCC",
    "From",
    "sender",
    "Subject",
    "Reply-To",
    "Date",
    "Message-ID",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
    "Return-Path",
    "Received",
    "DKIM-Signature",
    "Authentication-Results",
    "Content-Length",
    "Delivered-To",
    "Resent-To",
    "resent-from",
    "ARC-Seal",
    "arc-message-signature",
    "X-SES-CONFIGURATION-SET",
    "x-ses-message-tags",
    "X-SMTPAPI",
    "x-msys-api",
    "X-MC-BccAddress",
    "X-Mailgun-Sending-Ip-Pool",
    "x-pm-message-stream",
    "X-SG-EID",
    "X-MJ-TemplateID",
    "X-Mailjet-Campaign",
    "X-Mailin-Tag",
    "X-Sib-Sandbox",
    "Errors-To",
    "apparently-to",
    "Return-Receipt-To",
    "Content-Disposition",
    "Resend-Idempotency-Key",
    "Deferred-Delivery",
    "X-ElasticEmail-Settings",
    "X-MT-Category",
    "X-Postal-Tag",
    "X-TM-Template",
    "x-apiheader",
    "X-virtual-MTA",
  ].map((name): (typeof CASES)[number] => [
    `the header ${name}`,
    { headers: { [name]: "x" } },
    ["headers", name],
  ]),
  ["attachments that are an object", { attachments: {} }, ["attachments"]],
  ["21 attachments", { attachments: many(21, () => attachment()) }, ["attachments"]],
  [
    "an attachment without a file name",
    { attachments: [attachment({ filename: undefined })] },
    ["attachments", 0, "filename"],
  ],
  [
    "an attachment with an empty file name",
    { attachments: [attachment({ filename: " " })] },
    ["attachments", 0, "filename"],
  ],
  [
    "LF in a file name",
    { attachments: [attachment({ filename: "a\n.txt" })] },
    ["attachments", 0, "filename"],
  ],
  [
    "an attachment without content",
    { attachments: [attachment({ content: undefined })] },
    ["attachments", 0, "content"],
  ],
  [
    "an attachment that is not base64",
    { attachments: [attachment(), attachment({ content: "%%%=" })] },
    ["attachments", 1, "content"],
  ],
  [
    "base64 of a wrong length",
    { attachments: [attachment({ content: "aGkaG" })] },
    ["attachments", 0, "content"],
  ],
  [
    "base64 that is padded too much",
    { attachments: [attachment({ content: "aGk==" })] },
    ["attachments", 0, "content"],
  ],
  [
    "base64 of both alphabets",
    { attachments: [attachment({ content: "a+_k" })] },
    ["attachments", 0, "content"],
  ],
  [
    "base64 after its padding",
    { attachments: [attachment({ content: "aGk=\naGk=" })] },
    ["attachments", 0, "content"],
  ],
  [
    "a content type that is not a media type",
    { attachments: [attachment({ contentType: "text" })] },
    ["attachments", 0, "contentType"],
  ],
  [
    "LF in a content type",
    { attachments: [attachment({ contentType: "text/plain\nX: y" })] },
    ["attachments", 0, "contentType"],
  ],
  [
    "LF at the end of a content type",
    { attachments: [attachment({ contentType: "text/plain\n" })] },
    ["attachments", 0, "contentType"],
  ],
  [
    "LF in a content id",
    { attachments: [attachment({ contentId: "a\nb" })] },
    ["attachments", 0, "contentId"],
  ],
  [
    "brackets in a content id",
    { attachments: [attachment({ contentId: "<a>" })] },
    ["attachments", 0, "contentId"],
  ],
  [
    "more than 10 MiB of attachments",
    { attachments: many(2, () => attachment({ content: base64(5 * 1024 * 1024 + 3) })) },
    ["attachments"],
  ],
  ["tags that are a list", { tags: ["a"] }, ["tags"]],
  ["a tag that is a number", { tags: { a: 1 } }, ["tags", "a"]],
  ["a tag's key with a space", { tags: { "a b": "c" } }, ["tags", "a b"]],
  ["a tag's key of 65 characters", { tags: { ["k".repeat(65)]: "v" } }, ["tags", "k".repeat(65)]],
  ["a tag's value of 257 characters", { tags: { a: "v".repeat(257) } }, ["tags", "a"]],
  ["LF in a tag's value", { tags: { a: "b\nc" } }, ["tags", "a"]],
  [
    "101 headers",
    { headers: Object.fromEntries(many(101, (index) => [`X-${index}`, "v"])) },
    ["headers"],
  ],
  ["21 tags", { tags: Object.fromEntries(many(21, (index) => [`t${index}`, "v"])) }, ["tags"]],
  ["a local time", { scheduledAt: "2027-01-01T10:00:00" }, ["scheduledAt"]],
  ["a local time without seconds", { scheduledAt: "2027-01-01T10:00" }, ["scheduledAt"]],
  ["a date", { scheduledAt: "2027-01-01" }, ["scheduledAt"]],
  ["an offset of 25 hours", { scheduledAt: "2027-01-01T10:00:00+2500" }, ["scheduledAt"]],
  ["a day that does not exist", { scheduledAt: "2027-02-30T10:00:00Z" }, ["scheduledAt"]],
  ["a timestamp that is a number", { scheduledAt: 1_800_000_000 }, ["scheduledAt"]],
  ["a time more than a year ahead", { scheduledAt: inYears(1) }, ["scheduledAt"]],
  ["trackOpens that is text", { trackOpens: "yes" }, ["trackOpens"]],
  ["trackClicks that is null", { trackClicks: null }, ["trackClicks"]],
  ["overrideSuppression that is a number", { overrideSuppression: 1 }, ["overrideSuppression"]],
  ["an empty idempotency key", { idempotencyKey: "" }, ["idempotencyKey"]],
  ["an idempotency key of 257 characters", { idempotencyKey: "k".repeat(257) }, ["idempotencyKey"]],
  ["LF in an idempotency key", { idempotencyKey: "a\nb" }, ["idempotencyKey"]],
]

const changed = ({ domain }: Team, change: Record<string, unknown>) => ({
  from: `a@${domain}`,
  to: "someone@example.com",
  subject: "Hello",
  text: "Hi",
  ...change,
})

describe("a send is refused for", () => {
  it("at least 80 reasons", () => expect(CASES.length).toBeGreaterThanOrEqual(80))

  let team: Team
  beforeAll(async () => {
    team = await makeTeam()
  })

  it.each(CASES)("%s", async (_name, change, path) => {
    const single = await team.api.post("/emails", changed(team, change))
    expect(single.status).toBe(400)
    expect(single.body.error.code).toBe("validation_error")
    const paths = single.body.error.details.map((issue: { path: unknown[] }) => issue.path)
    expect(paths).toContainEqual(expect.arrayContaining(path))

    const check = await team.api.post("/emails/check", changed(team, change))
    expect([check.status, check.body]).toEqual([400, single.body])

    const batch = await team.api.post("/emails/batch", [changed(team, {}), changed(team, change)])
    expect(batch.status).toBe(400)
    expect(batch.body.error.details).toEqual({ index: 1, cause: single.body.error.details })
    expect((await team.api.get("/emails")).body.data).toEqual([])
  })
})

it("a refusal says in plain words that a member is required", async () => {
  const { api } = await makeTeam()
  const { error } = (await api.post("/emails", { subject: "Hello", text: "Hi" })).body
  expect(error.message).toBe("from: Required")
  expect(error.details).toEqual([
    { path: ["from"], message: "Required" },
    { path: ["to"], message: "Required" },
  ])
})

describe("a batch", () => {
  it.each([
    ["that is empty", []],
    ["of 101", many(101, () => ({}))],
    ["that is an object", { emails: [] }],
  ])("%s is refused", async (_name, body) => {
    const { api } = await makeTeam()
    const reply = await api.post("/emails/batch", body)
    expect(reply.status).toBe(400)
    expect(reply.body.error.code).toBe("validation_error")
  })
})
