import { describe, expect, it } from "vitest"
import { makePerson } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

const text = (html: string) => ({ kind: "text", html })
const button = (url: string) => ({ kind: "button", label: "Reset {{ what }}", url })

const RESET = [
  { kind: "heading", level: 1, text: "Hello {{ name }}" },
  text('You asked for it, <strong>{{ firstName }}</strong>. <a href="{{ helpUrl }}">Help</a>'),
  button("{{ resetUrl }}"),
  button("https://example.com/orders/{{ order.id }}?by={{ email }}"),
]

const content = {
  name: "Reset",
  subject: "Hello {{ name }}",
  bodyHtml: "-",
  bodyText: null,
  variablesSchema: { variables: [] },
}

const values = {
  name: "<Ada>",
  firstName: "Ada",
  email: "ada@example.com",
  what: "it",
  helpUrl: "https://example.com/help",
  resetUrl: "https://example.com/?a=1&b=2",
  order: { id: 7 },
}

async function open(blocks: object[] = RESET, design: object = {}) {
  const team = await makeTeam()
  const person = await makePerson(team.id, "member")
  const input = { ...content, slug: "reset", design: { blocks, ...design } }
  const { status, body: draft } = await person.post("/template-drafts", input)
  const path = `/templates/${draft.id}`
  return {
    ...{ team, api: team.api, person, status, draft, path },
    read: async () => (await person.get(`${path}/draft`)).body,
    save: (changes: object, { version, revision }: { version: number; revision: string | null }) =>
      person.post(`${path}/draft`, { ...content, ...changes, version, revision }),
    publish: async ({ version, revision } = draft) =>
      (await person.post(`${path}/publish`, { version, revision })).body,
  }
}

describe("a template of blocks", () => {
  it("is rendered when it is saved, by the renderer of campaigns, without their footer", async () => {
    const { status, draft } = await open()
    expect(status).toBe(201)
    expect(draft.bodyHtml).toMatch(/^<!DOCTYPE html>/)
    expect(draft.bodyHtml).toContain('href="{{ resetUrl }}"')
    expect(draft.bodyHtml).toContain("<strong>{{ firstName }}</strong>")
    expect(draft.bodyHtml).not.toMatch(/unsubscribe/i)
    expect(draft.bodyText).toBe(
      [
        "Hello {{ name }}",
        "You asked for it, {{ firstName }}. Help ({{ helpUrl }})",
        "Reset {{ what }}: {{ resetUrl }}",
        "Reset {{ what }}: https://example.com/orders/{{ order.id }}?by={{ email }}",
      ].join("\n\n"),
    )
  })

  it("takes values as every template does: escaped in HTML, raw in text", async () => {
    const { api, path, publish } = await open()
    await publish()
    const { body } = await api.post(`${path}/render`, { variables: values })
    expect(body.html).toContain("Hello &lt;Ada&gt;")
    expect(body.html).toContain('href="https://example.com/?a=1&amp;b=2"')
    expect(body.html).toContain('href="https://example.com/orders/7?by=ada@example.com"')
    expect(body.text).toContain("Hello <Ada>")
    expect(body.text).toContain(": https://example.com/?a=1&b=2")
    const { error } = (await api.post(`${path}/render`, {})).body
    expect(error.details.missing.sort()).toEqual([
      ...["email", "firstName", "helpUrl", "name", "order.id", "resetUrl", "what"],
    ])
  })

  it("has the preheader that was written, else the start of its text", async () => {
    const preheaderOf = async (design: object) =>
      /<div style="display:none[^>]*>(.*?)(?:&#847;|<)/.exec(
        (await open(RESET, design)).draft.bodyHtml,
      )?.[1]
    expect(await preheaderOf({ preheader: "For {{ name }}" })).toBe("For {{ name }}")
    expect(await preheaderOf({})).toMatch(/^You asked for it, \{\{ firstName \}\}/)
  })

  it("shows keys the same template as one of HTML", async () => {
    const { api, path, publish, draft } = await open()
    await publish()
    const { versions, ...template } = (await api.get(path)).body
    expect(Object.keys(template).sort()).toEqual(
      [
        ...["id", "slug", "name", "subject", "bodyHtml", "bodyText", "variablesSchema"],
        ...["version", "createdAt", "updatedAt"],
      ].sort(),
    )
    expect(template).toMatchObject({ bodyHtml: draft.bodyHtml, bodyText: draft.bodyText })
    expect(versions[0].snapshot).not.toHaveProperty("design")
    expect((await api.get("/templates")).body.data).toEqual([template])
  })

  it("keeps its blocks through publishing, saving and its versions", async () => {
    const { read, save, publish } = await open()
    await publish()
    const design = { blocks: RESET, theme: null, preheader: null }
    expect(await read()).toMatchObject({ version: 1, revision: null, design })
    const next = { ...design, blocks: [text("Second {{ name }}")] }
    const saved = (await save({ design: next }, { version: 1, revision: null })).body
    expect(saved.design).toEqual(next)
    await publish(saved)
    const { versions } = await read()
    expect(versions.map(({ snapshot }: { snapshot: object }) => snapshot)).toMatchObject([
      { design: next, bodyText: "Second {{ name }}" },
      { design },
    ])
  })

  it("becomes a template of HTML when it is saved without blocks", async () => {
    const { save, publish, api, path, read, draft } = await open()
    const saved = (await save({ bodyHtml: "<p>Hi</p>", design: null }, draft)).body
    expect(saved).toMatchObject({ bodyHtml: "<p>Hi</p>", bodyText: null, design: null })
    await publish(saved)
    expect((await api.get(path)).body.bodyHtml).toBe("<p>Hi</p>")
    expect((await read()).versions[0].snapshot.design).toBeNull()
  })

  it.each([
    ["the HTML", { bodyHtml: "<p>From a program</p>" }],
    ["the text", { bodyText: "From a program" }],
    ["the text, by none", { bodyText: null }],
  ])("loses its blocks when a program changes %s", async (_, changes) => {
    const { api, path, publish, read } = await open()
    await publish()
    expect((await api.patch(path, changes)).body).toMatchObject({ ...changes, version: 2 })
    const { design, versions } = await read()
    expect(design).toBeNull()
    expect(versions).toMatchObject([
      { version: 2, publishedBy: "Test", snapshot: { design: null } },
      { version: 1, snapshot: { design: { blocks: RESET } } },
    ])
  })

  it("keeps its blocks when a program changes something else, or sends the same bodies", async () => {
    const { api, path, publish, read, draft } = await open()
    await publish()
    const { bodyHtml, bodyText } = draft
    await api.patch(path, { name: "Other", bodyHtml, bodyText })
    expect(await read()).toMatchObject({ version: 2, design: { blocks: RESET } })
  })

  it.each([
    ["a script", button("javascript:alert(1)"), "url"],
    ["two variables", button("{{ a }}{{ b }}"), "url"],
    ["a host of variables", button("https://{{ host }}/"), "url"],
    ["no variable's name", button("{{ a b }}"), "url"],
    ["a variable as an image", { kind: "image", url: "{{ a }}", alt: "" }, "url"],
    ["a script in a text", text('<a href="javascript:a">b</a>'), "html"],
    ["other markup", text("<b>Hi</b>"), "html"],
  ])("is refused with %s", async (_, block, field) => {
    const { status, draft } = await open([block])
    expect([status, draft.error.details[0].path]).toEqual([400, ["design", "blocks", 0, field]])
  })

  it("is refused if its blocks become more html than a row of D1 holds", async () => {
    const cells = Array.from({ length: 65 }, () => ({ kind: "divider" }))
    const rows = Array.from({ length: 100 }, () => ({
      kind: "columns",
      layout: "1-1",
      columns: [cells, cells],
    }))
    const { status, draft } = await open(rows)
    expect([status, draft.error?.details[0].path]).toEqual([400, ["design"]])
  })
})
