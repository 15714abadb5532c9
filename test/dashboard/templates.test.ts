import { describe, expect, it } from "vitest"
import { tryRender, variablesOf } from "../../src/dashboard/pages/templates/editor/try-render.ts"
import { findIn, usedVariables } from "../../src/dashboard/pages/templates/versions/findings.ts"
import type { TemplateContent } from "../../src/worker/templates/contract.ts"

const content: TemplateContent = {
  name: "Order",
  subject: "Hello {{ name }}",
  bodyHtml: "<p>{{ order.total }} {{ note }}</p>",
  bodyText: null,
  variablesSchema: {
    variables: [
      { name: "name", default: "there" },
      { name: "order.total", type: "number" },
    ],
  },
}

describe("the preview of a template", () => {
  it("lists the variables in the order of their use", () => {
    expect(usedVariables(content)).toEqual(["name", "order.total", "note"])
  })

  it("makes objects of dotted names, and the declared types", () => {
    expect(variablesOf({ "order.total": "12.5", "order.id": "7", note: "" }, content)).toEqual({
      order: { total: 12.5, id: "7" },
    })
  })

  it("renders as a send does", () => {
    const outcome = tryRender(content, { "order.total": "12.5", note: "<b>" })
    expect(outcome).toEqual({
      shown: { subject: "Hello there", html: "<p>12.5 &lt;b&gt;</p>", text: null },
      missing: [],
      invalid: [],
      error: null,
    })
  })

  it("shows names where values are missing or wrong", () => {
    const outcome = tryRender(content, { "order.total": "much" })
    expect(outcome).toMatchObject({ missing: ["note"], invalid: ["order.total"], error: null })
    expect(outcome.shown).toMatchObject({
      subject: "Hello there",
      html: "<p>[order.total] [note]</p>",
    })
  })

  it("says another refusal", () => {
    expect(tryRender({ ...content, subject: " " }, {}).error).toBeNull()
    expect(tryRender({ ...content, subject: " " }, { "order.total": "1", note: "x" }).error).toBe(
      "The rendered subject is empty",
    )
  })
})

describe("the findings in a text", () => {
  const outcome = { shown: null, missing: ["a"], invalid: ["b"], error: null }

  it("are at their places", () => {
    const text = "{{ a }} {{b}} {{ c-d }} {{ open"
    expect(
      findIn(text, outcome).map(({ from, to, level }) => [text.slice(from, to), level]),
    ).toEqual([
      ["{{ a }}", "warning"],
      ["{{b}}", "error"],
      ["{{ c-d }}", "warning"],
      ["{{", "error"],
    ])
  })

  it("are not the braces of a style sheet", () => {
    expect(findIn("<style>@media print{a{color:red}}</style>", outcome)).toEqual([])
  })
})
