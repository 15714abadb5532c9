import { describe, expect, it } from "vitest"
import { makeTeam, type Team } from "../../../support/team.ts"

const HTML = '<h1>Hello</h1><p>See <a href="https://x.test/a">the shop</a>.</p>'
const TEXT = "Hello\n\nSee the shop (https://x.test/a)."

/** The message in the test inbox. */
async function received(team: Team, input: Record<string, unknown>) {
  const { body, status } = await team.api.post("/emails", {
    from: `sender@${team.domain}`,
    to: "someone@example.com",
    subject: "Hello",
    ...input,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const { body: inbox } = await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
  return inbox.data[0] as { html: string | null; text: string | null; raw: string }
}

async function makeTemplate(team: Team, bodyText?: string) {
  const { body } = await team.api.post("/templates", {
    slug: `template-${crypto.randomUUID()}`,
    name: "Template",
    subject: "Hello",
    bodyHtml: "<p>Dear {{ name }}</p>",
    ...(bodyText !== undefined && { bodyText }),
  })
  return { template: body.id as string, variables: { name: "A&B" }, subject: undefined }
}

describe("the text part", () => {
  it("is made from html alone", async () => {
    const { html, text, raw } = await received(await makeTeam(), { html: HTML })
    expect({ html, text }).toEqual({ html: HTML, text: TEXT })
    expect(raw).toContain("multipart/alternative")
  })

  it("is made from a template's html alone", async () => {
    const team = await makeTeam()
    expect((await received(team, await makeTemplate(team))).text).toBe("Dear A&B")
  })

  it("is the sender's own text where there is one", async () => {
    const team = await makeTeam()
    expect((await received(team, { html: HTML, text: "My own" })).text).toBe("My own")
    expect((await received(team, await makeTemplate(team, "Own {{ name }}"))).text).toBe("Own A&B")
  })

  it("is left out where text is the empty string", async () => {
    const team = await makeTeam()
    for (const input of [{ html: HTML, text: "" }, await makeTemplate(team, "")]) {
      const { text, raw } = await received(team, input)
      expect(text).toBeNull()
      expect(raw).not.toContain("text/plain")
    }
  })

  it("is left out where html has no words", async () => {
    expect((await received(await makeTeam(), { html: "<img src=x>" })).text).toBeNull()
  })

  it("names the links as they were before tracking", async () => {
    const { html, text } = await received(await makeTeam(), {
      html: HTML,
      trackClicks: true,
      trackOpens: true,
    })
    expect(html).toContain("/t/c/")
    expect(text).toBe(TEXT)
  })

  it("leaves the links as they are where only opens are tracked", async () => {
    const input = { html: HTML, trackClicks: false, trackOpens: true }
    const { html, text } = await received(await makeTeam(), input)
    expect(html).toMatch(/^<h1>Hello<\/h1><p>See <a href="https:\/\/x.test\/a">/)
    expect(html).toContain("/t/o/")
    expect(text).toBe(TEXT)
  })
})
