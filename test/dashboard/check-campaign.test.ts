import { describe, expect, it } from "vitest"
import type { Contact, Domain } from "../../src/client/types.ts"
import { checkCampaign } from "../../src/dashboard/pages/campaigns/draft/check-campaign.ts"
import { withOffset } from "../../src/dashboard/pages/campaigns/words.ts"
import type { Block } from "../../src/worker/campaigns/blocks/contract.ts"

const contact = { firstName: "Ada", lastName: null, properties: { city: "Rome" } } as never
const good = {
  subject: "Hello {{ firstName }}",
  from: "news@demo.test",
  blocks: [{ kind: "text", html: "In {{ properties.city }}" }] as Block[],
  mergeDefaults: {},
  sample: [contact] as Contact[],
  eligible: 3,
  htmlBytes: 5_000,
  postalAddress: "1 Main Street",
  domain: { name: "demo.test", status: "verified" } as Domain,
  incomplete: [],
}

const found = (changes: Partial<typeof good>) =>
  checkCampaign({ ...good, ...changes })
    .filter(({ level }) => level !== "ok")
    .map(({ level, text }) => `${level}: ${text}`)

describe("the checks before a campaign is sent", () => {
  it("find nothing wrong with a good one", () => {
    expect(found({})).toEqual([])
  })

  it.each([
    ["an empty audience", { eligible: 0 }, /^stop: No recipients/],
    ["no domain", { domain: undefined as never }, /^stop: news@demo.test is not on/],
    [
      "an unverified domain",
      { domain: { ...good.domain, status: "pending" as const } },
      /^stop: demo.test is not verified/,
    ],
    [
      "a placeholder of a starter",
      { blocks: [{ kind: "text", html: "From [company]" }] as Block[] },
      /^warning: Replace the placeholder \[company\]\.$/,
    ],
    [
      "a link of a starter",
      { blocks: [{ kind: "button", label: "Go", url: "https://example.com/new" }] as Block[] },
      /^warning: Replace the links to example\.com\.$/,
    ],
    [
      "an image without words",
      { blocks: [{ kind: "image", url: "https://acme.test/a.png", alt: "" }] as Block[] },
      /^warning: Add alternative text to 1 image\.$/,
    ],
    ["an unknown merge field", { subject: "{{ first_name }}" }, /^stop: .*is not a merge field/],
    ["a broken merge field", { subject: "Hi {{ firstName }" }, /^stop: Fix the broken merge field/],
    ["a value that some lack", { subject: "{{ lastName }}" }, /^warning: None of your newest/],
    ["a large message", { htmlBytes: 102 * 1024 + 1 }, /^warning: .*Gmail cuts off/],
    ["no postal address", { postalAddress: null as never }, /^warning: .*no postal address/],
    ["what the schema refuses", { incomplete: ["Content: missing."] as never }, /^stop: Content/],
  ])("say of %s what is wrong", (_, changes, message) => {
    const said = found(changes)
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(message)
  })

  it("look into columns, too", () => {
    const columns: Block = {
      kind: "columns",
      layout: "1-1",
      columns: [[{ kind: "heading", level: 1, text: "{{ nobody }}" }], []],
    }
    expect(found({ blocks: [columns] })).toHaveLength(1)
  })

  it("take a default for a value", () => {
    expect(found({ subject: "{{ lastName }}", mergeDefaults: { lastName: "you" } })).toEqual([])
  })
})

describe("a local time", () => {
  it("keeps its moment, with the offset of the browser's zone", () => {
    const sent = withOffset("2026-12-24T09:30")
    expect(sent).toMatch(/^2026-12-24T09:30:00[+-]\d\d:\d\d$/)
    expect(Date.parse(sent ?? "")).toBe(new Date("2026-12-24T09:30").getTime())
  })

  it("that is none is null", () => {
    expect(withOffset("")).toBeNull()
    expect(withOffset("soon")).toBeNull()
  })
})
