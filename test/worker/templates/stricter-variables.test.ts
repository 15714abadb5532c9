import { describe, expect, it } from "vitest"
import { stricterVariables } from "../../../src/worker/templates/stricter-variables.ts"
import { makePerson } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

type Declared = { name: string; type?: "string" | "number"; default?: string | number }

const contentOf = (bodyHtml: string, variables: Declared[] = []) => ({
  ...{ name: "Receipt", subject: "Receipt", bodyHtml, bodyText: null },
  variablesSchema: { variables },
})

describe("the variables that a change makes stricter", () => {
  const before = contentOf("{{ name }} {{ order.total }} {{ city }}", [
    { name: "city", default: "Paris" },
  ])
  it.each<[string, string, Declared[], object[]]>([
    ["a word that changes", "{{ name }}, hi", [], []],
    ["a new variable", "{{ name }} {{ sum }}", [], [{ name: "sum", because: "required" }]],
    ["a new variable with a default", "{{ sum }}", [{ name: "sum", default: 1 }], []],
    ["a default that goes", "{{ city }}", [], [{ name: "city", because: "required" }]],
    ["a declaration without a use", "Hi", [{ name: "sum" }], []],
    [
      "a type that comes",
      "{{ order.total }}",
      [{ name: "order.total", type: "number" }],
      [{ name: "order.total", because: "type" }],
    ],
    [
      "a type of a variable that has a default",
      "{{ city }}",
      [{ name: "city", type: "string", default: "Paris" }],
      [{ name: "city", because: "type" }],
    ],
  ])("%s", (_, html, variables, stricter) => {
    expect(stricterVariables(before, contentOf(html, variables))).toEqual(stricter)
  })
})

it("a draft that would refuse mail is published when each of its variables is confirmed", async () => {
  const team = await makeTeam()
  const person = await makePerson(team.id, "member")
  const { id } = (await team.api.post("/templates", { slug: "receipt", ...contentOf("Hi") })).body
  const draft = contentOf("{{ name }} {{ sum }}")
  const { body: saved } = await person.post(`/templates/${id}/draft`, {
    ...draft,
    ...{ version: 1, revision: null },
  })
  const publish = (confirmedVariables?: string[]) =>
    person.post(`/templates/${id}/publish`, {
      ...{ version: 1, revision: saved.revision },
      confirmedVariables,
    })
  const refused = (variables: string[]) => ({
    status: 409,
    body: { error: { code: "conflict", details: { variables } } },
  })
  expect(await publish()).toMatchObject(refused(["name", "sum"]))
  expect(await publish(["name"])).toMatchObject(refused(["sum"]))
  expect((await team.api.get(`/templates/${id}`)).body).toMatchObject({
    version: 1,
    bodyHtml: "Hi",
  })
  expect(await publish(["name", "sum"])).toMatchObject({ status: 200, body: { version: 2 } })
  const { body } = await person.post(`/templates/${id}/draft`, {
    ...contentOf("{{ name }}, hi"),
    ...{ version: 2, revision: null },
  })
  const again = await person.post(`/templates/${id}/publish`, {
    ...{ version: 2, revision: body.revision },
  })
  expect(again).toMatchObject({ status: 200, body: { version: 3 } })
})

it("the first version confirms nothing, since no mail uses it yet", async () => {
  const team = await makeTeam()
  const person = await makePerson(team.id, "member")
  const { body: draft } = await person.post("/template-drafts", {
    ...contentOf("{{ name }}"),
    slug: "new",
  })
  const published = await person.post(`/templates/${draft.id}/publish`, {
    ...{ version: 0, revision: draft.revision },
  })
  expect(published).toMatchObject({ status: 200, body: { version: 1 } })
})
