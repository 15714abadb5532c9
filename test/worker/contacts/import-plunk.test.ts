import { describe, expect, it } from "vitest"
import { plunkSource } from "../../../src/command-line/import/plunk.ts"
import { makeFakePlunk } from "../../support/fake-plunk.ts"
import { makeImporter } from "../../support/import.ts"
import { makeTeam } from "../../support/team.ts"

const theirs = makeFakePlunk("sk_123")
const bring = makeImporter({
  ...{ service: "Plunk", authorization: "Bearer sk_123", toSource: plunkSource },
  answer: (request) => theirs.answer(request),
})

describe("an import from Plunk", () => {
  it("brings every contact with its consent, names and data, and only once", async () => {
    const team = await makeTeam()
    theirs.contacts = [
      { email: "gone@example.com", subscribed: false, data: null },
      {
        email: "ada@example.com",
        subscribed: true,
        data: { firstName: "Ada", lastName: "King", plan: "pro", seats: 3, status: "left" },
      },
      ...Array.from({ length: 120 }, (_, index) => ({
        ...{ email: `reader-${index}@example.com`, subscribed: true, data: {} },
      })),
    ]
    expect((await bring(team)).parts.contacts).toMatchObject({ found: 122, added: 122, failed: [] })
    const read = async () => {
      const [book] = (await team.api.get("/contact-books")).body.data
      const { data } = (await team.api.get(`/contact-books/${book.id}/contacts?q=ada`)).body
      return { book, ada: data[0] }
    }
    const before = await read()
    expect(before.book).toMatchObject({ name: "Plunk", contactCount: 122, subscribedCount: 121 })
    expect(before.ada).toMatchObject({
      ...{ firstName: "Ada", lastName: "King", subscribed: true },
      properties: { plan: "pro", seats: "3", status: "left" },
    })
    expect((await bring(team)).parts.contacts).toMatchObject({ added: 0, changed: 0, kept: 122 })
    expect(await read()).toEqual(before)
    theirs.contacts = [{ email: "ada@example.com", subscribed: false, data: {} }]
    expect((await bring(team)).parts.contacts).toMatchObject({ added: 0, changed: 1 })
    theirs.contacts = [{ email: "ada@example.com", subscribed: true, data: {} }]
    await bring(team)
    expect((await read()).ada).toMatchObject({ subscribed: false })
  })

  it("brings templates with their fallbacks, and refuses what they cannot say here", async () => {
    const team = await makeTeam()
    theirs.contacts = []
    const template = { subject: "Hi {{firstName ?? there}}", from: "hi@example.com" }
    const body = '<p>{{ plan | default: "free" }} {{city ?? &quot;here&quot;}} {{order.id}}</p>'
    const refused = ["{% if plan %}x{% endif %}", "{{ plan | upcase }}", "{{ a | default: b }}"]
    theirs.templates = [
      { id: "ab-1", name: "Welcome", ...template, body },
      ...refused.map((text, id) => ({ id: `${id}`, name: `No ${id}`, ...template, body: text })),
    ]
    const { parts } = await bring(team)
    expect(parts.templates).toMatchObject({ found: 4, added: 1 })
    expect(parts.templates?.failed).toEqual([
      { what: "No 0", why: "{% if plan %} has no counterpart." },
      { what: "No 1", why: "{{ plan | upcase }} has no counterpart." },
      { what: "No 2", why: "{{ a | default: b }} has no counterpart." },
    ])
    expect((await team.api.get("/templates/welcome-ab-1")).body).toMatchObject({
      subject: "Hi {{ firstName }}",
      bodyHtml: "<p>{{ plan }} {{ city }} {{ order.id }}</p>",
      variablesSchema: {
        variables: [
          { name: "firstName", default: "there" },
          { name: "plan", default: "free" },
          { name: "city", default: "here" },
        ],
      },
    })
    expect((await bring(team)).parts.templates).toMatchObject({ added: 0, changed: 0, kept: 1 })
  })
})
