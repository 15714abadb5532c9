import { expect, it } from "vitest"
import { findProblem } from "../../src/dashboard/pages/emails/problems.ts"
import {
  chipText,
  readQuery,
  toListQuery,
  withChip,
  writeQuery,
} from "../../src/dashboard/pages/emails/search/query.ts"
import { suggest, withSuggestion } from "../../src/dashboard/pages/emails/search/suggestions.ts"

const NOW = Date.parse("2026-03-08T12:00:00Z")
const queryOf = (q: string) => toListQuery(q, NOW)

it("reads filters and words in any order", () => {
  expect(queryOf("status:bounced invoice tag:plan:pro @example.com paid since:7d")).toEqual({
    status: ["bounced"],
    tag: ["plan:pro"],
    to: "@example.com",
    q: "invoice paid",
    since: "2026-03-01T12:00:00.000Z",
  })
  expect(
    queryOf('status:sent status:failed tag:a tag:"b:two words" opened:no clicked:yes'),
  ).toEqual({
    status: ["sent", "failed"],
    tag: ["a", "b:two words"],
    opened: false,
    clicked: true,
  })
  expect(queryOf("domain:dom_1 template:tpl_1 campaign:cmp_1 key:key_1 to:ann")).toEqual({
    domainId: "dom_1",
    templateId: "tpl_1",
    campaignId: "cmp_1",
    keyId: "key_1",
    to: "ann",
  })
  expect(queryOf("from:ops@one.test x@two.test")).toEqual({
    from: "ops@one.test",
    to: "x@two.test",
  })
  expect(queryOf("")).toEqual({})
})

it("reads a minute in UTC, as the metrics link to it", () => {
  expect(queryOf("since:2026-03-01T14:00Z until:2026-03-01T15:00Z")).toEqual({
    since: "2026-03-01T14:00:00.000Z",
    until: "2026-03-01T15:00:00.000Z",
  })
})

it("keeps what is no filter as words", () => {
  expect(queryOf("status:nonsense opened:maybe since:never Re:")).toEqual({
    q: "status:nonsense opened:maybe since:never Re:",
  })
})

it("takes a whole address or a domain as a filter, and other parts of an address as words", () => {
  expect(queryOf("ann@example.com")).toEqual({ to: "ann@example.com" })
  expect(queryOf("@example.com")).toEqual({ to: "@example.com" })
  expect(queryOf("bounce+ann.b2 ann@ ann@exam")).toEqual({ q: "bounce+ann.b2 ann@ ann@exam" })
})

it.each([
  ["stats:bounced", "There is no filter “stats”", "status:bounced"],
  ["invoice tags:vip", "There is no filter “tags”", "invoice tag:vip"],
  ["status:bouncd x", /^“status” takes queued, .* or /, "status:bounced x"],
  ["opened:maybe", "“opened” takes yes or no", undefined],
  ["from:ops", "“from” takes an address or @domain", undefined],
  ["since:", "Add a value after “since:”", undefined],
])("explains the misspelt filter in %s", (q, text, instead) => {
  const problem = findProblem(q)
  expect(problem?.text).toMatch(text)
  expect(problem?.instead).toBe(instead)
})

it.each([
  ...["Re: hello", "http://example.com", "status:bounced", "at 12:30", "a@b.test", "x:y"],
  ...['status:"bounced"', 'tag:"x to:y"', 'from:" ops@one.test"'],
])("finds no misspelt filter in %s", (q) => expect(findProblem(q)).toBeUndefined())

it("suggests filters and their values for the last word", () => {
  const email = {
    from: "Ops <ops@one.test>",
    to: ["Ann <ann@mail.example>"],
    tags: { plan: "pro", note: "two words" },
  }
  const domain = { id: "dom_1", name: "news.example" }
  const seen = { emails: [email], domains: [domain] } as unknown as Parameters<typeof suggest>[1]
  const tokens = (text: string) => suggest(text, seen).map(({ token }) => token)
  expect(tokens("invoice sta")).toEqual(["status:"])
  expect(tokens("status:b")).toEqual(["status:bounced"])
  expect(tokens("tag:")).toEqual(["tag:plan:pro"])
  expect(tokens("domain:new")).toEqual(["domain:dom_1"])
  expect(tokens("from:")).toEqual(["from:ops@one.test", "from:@news.example"])
  expect(tokens("@mail")).toEqual(["@mail.example"])
  expect(tokens("opened:")).toEqual(["opened:yes", "opened:no"])
  for (const text of ["", "invoice ", "invoice", "status:bounced", "constructor:"]) {
    expect(tokens(text)).toEqual([])
  }
  expect(withSuggestion("invoice sta", { token: "status:", label: "" })).toBe("invoice status:")
})

it("has the last value of a filter that is given once, and each repeated value once", () => {
  expect(queryOf("a@b.test since:7d c@d.test since:24h tag:x tag:x")).toEqual({
    to: "c@d.test",
    tag: ["x"],
    since: "2026-03-07T12:00:00.000Z",
  })
})

it("changes one filter and keeps the others", () => {
  const { chips } = readQuery("status:sent tag:plan:pro")
  const changed = (...change: [Parameters<typeof withChip>[1], string]) =>
    writeQuery(withChip(chips, ...change), "invoice")
  expect(changed("status", "bounced")).toBe("tag:plan:pro status:bounced invoice")
  expect(changed("status", "")).toBe("tag:plan:pro invoice")
  expect(changed("since", "7d")).toBe("status:sent tag:plan:pro since:7d invoice")
})

it("writes what it reads", () => {
  const q = 'tag:"plan:the best" ann@example.com to:ann2 status:sent your invoice'
  const { chips, words } = readQuery(q)
  expect(readQuery(writeQuery(chips, words))).toEqual({ chips, words })
  expect(chips.map(chipText)).toEqual(['tag:"plan:the best"', "to:ann2", "status:sent"])
})

it.each(['a "b"', '"', 'a"b', "C:\\new dir\\", 'ends with \\"', "back\\slash"])(
  "keeps the tag %s in its chip, in the URL and in the request",
  (tag) => {
    const text = writeQuery([{ name: "tag", value: tag }], "your invoice")
    expect(readQuery(text).chips.map(chipText)).toEqual([text.slice(0, -" your invoice".length)])
    const url = new URL(`/emails?${new URLSearchParams({ q: text })}`, "https://edgepost.test")
    expect(queryOf(url.searchParams.get("q") ?? "")).toEqual({
      tag: [tag],
      q: "your invoice",
    })
  },
)

it("reads quotes as they are typed", () => {
  expect(queryOf('tag:"a \\"b\\"" said "hi"')).toEqual({ tag: ['a "b"'], q: 'said "hi"' })
  expect(queryOf('tag:"two \\words')).toEqual({ tag: ["two \\words"] })
  expect(queryOf('to:"\\"ada l\\"@example.com"')).toEqual({ to: '"ada l"@example.com' })
})

it("includes both days of a range", () => {
  expect(queryOf("since:2026-03-02 until:2026-03-05")).toEqual({
    since: new Date("2026-03-02T00:00").toISOString(),
    until: new Date("2026-03-06T00:00").toISOString(),
  })
})
