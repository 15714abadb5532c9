import { describe, expect, it } from "vitest"
import { STARTERS } from "../../src/dashboard/pages/blocks/starters/starters.ts"
import { tryRender } from "../../src/dashboard/pages/templates/editor/try-render.ts"
import { TEMPLATE_STARTERS } from "../../src/dashboard/pages/templates/starters/starters.ts"
import { composeBody, renderBody } from "../../src/worker/campaigns/body.ts"
import { createCampaign } from "../../src/worker/campaigns/contract.ts"
import { GMAIL_CLIPS_BYTES } from "../../src/worker/emails/check/sizes.ts"
import { renderDesign } from "../../src/worker/templates/design.ts"
import { createTemplateDraft } from "../../src/worker/templates/draft-contract.ts"

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

describe("the starters of templates", () => {
  const draftOf = (starter: (typeof TEMPLATE_STARTERS)[number]) => {
    const { name, subject, blocks, variables, theme = null, preheader = null } = starter
    const design = { blocks: [...blocks], theme, preheader }
    const variablesSchema = { variables }
    return { slug: "a", name, subject, ...renderDesign(subject, design), variablesSchema, design }
  }

  it("have names of their own", () => {
    expect(new Set(TEMPLATE_STARTERS.map(({ name }) => name)).size).toBe(TEMPLATE_STARTERS.length)
  })

  it.each(TEMPLATE_STARTERS)("$name is a draft that the API accepts", (starter) => {
    const draft = draftOf(starter)
    expect(createTemplateDraft.json.parse(draft)).toEqual(draft)
  })

  it.each(TEMPLATE_STARTERS)("$name needs no values but its samples", (starter) => {
    const { missing, shown } = tryRender(draftOf(starter), starter.samples)
    expect(missing).toEqual([])
    expect(`${shown?.subject}${shown?.html}${shown?.text}`).not.toMatch(/\{\{/)
  })
})
