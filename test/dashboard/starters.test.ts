import { describe, expect, it } from "vitest"
import { STARTERS } from "../../src/dashboard/pages/blocks/starters/starters.ts"
import { composeBody, renderBody } from "../../src/worker/campaigns/body.ts"
import { createCampaign } from "../../src/worker/campaigns/contract.ts"
import { GMAIL_CLIPS_BYTES } from "../../src/worker/emails/check/sizes.ts"

const { blocks, theme, subject, preheader } = createCampaign.json.shape

const ADA = { email: "ada@example.com", firstName: "Ada", lastName: null, properties: {} }
const LINKS = { unsubscribeUrl: "https://acme.test/u", preferencesUrl: "https://acme.test/p" }

describe("the starters", () => {
  it("are ten, each with a name of its own", () => {
    expect(new Set(STARTERS.map(({ name }) => name)).size).toBe(10)
  })

  it.each(STARTERS)("$name is a campaign that the API accepts", (starter) => {
    expect(blocks.parse(starter.blocks)).toEqual(starter.blocks)
    expect(theme.parse(starter.theme ?? null)).toEqual(starter.theme ?? null)
    expect(subject.parse(starter.subject)).toBe(starter.subject)
    expect(preheader.parse(starter.preheader ?? null)).toBe(starter.preheader ?? null)
  })

  it.each(STARTERS)("$name is shown whole by Gmail, and in plain text", (starter) => {
    const message = {
      subject: starter.subject,
      preheader: starter.preheader ?? null,
      ...{ header: [], footer: [] },
      blocks: starter.blocks,
      theme: starter.theme ?? null,
      sender: { name: "Acme", postalAddress: null },
    }
    const { html, text } = renderBody(composeBody(message), ADA, {}, LINKS)
    expect(new TextEncoder().encode(html).length).toBeLessThan(GMAIL_CLIPS_BYTES)
    expect(html).not.toMatch(/\{\{/)
    expect(text).toContain("Acme")
  })
})
