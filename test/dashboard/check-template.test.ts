import { describe, expect, it } from "vitest"
import { tryRender } from "../../src/dashboard/pages/templates/editor/try-render.ts"
import {
  type Content,
  checkTemplate,
} from "../../src/dashboard/pages/templates/versions/check-template.ts"

const contentOf = (changes: Partial<Content> = {}): Content => ({
  ...{ name: "Receipt", subject: "Receipt", bodyHtml: "<p>Paid</p>", bodyText: null },
  variablesSchema: { variables: [] },
  design: null,
  ...changes,
})

const check = (changes: Partial<Content>, published: Content | undefined = contentOf()) => {
  const draft = contentOf(changes)
  return checkTemplate({ published, draft, outcome: tryRender(draft, {}) })
    .filter(({ level }) => level !== "ok")
    .map(({ level, text }) => `${level}: ${text}`)
}

describe("the check before a template is published", () => {
  it.each<[string, Partial<Content>, string[]]>([
    ["finds nothing in other words", { bodyHtml: "<p>Thanks</p>" }, []],
    [
      "names a variable that becomes required",
      { bodyHtml: "<p>{{ sum }}</p>" },
      ["warning: {{ sum }} becomes required. Emails without it are refused."],
    ],
    [
      "stops at a variable that is not closed",
      { bodyHtml: "<p>{{ sum</p>" },
      ["stop: Close this variable with }}."],
    ],
    ["stops at a subject that is empty", { subject: " " }, ["stop: The rendered subject is empty"]],
    [
      "names what mail programs drop, once",
      { bodyHtml: '<img src="a.png"><img src="b.png">' },
      ['warning: Add an alt text. Use alt="" if the image is only decorative.'],
    ],
    [
      "names images of blocks without a text, and what a starter left",
      {
        design: {
          ...{ theme: null, preheader: null },
          blocks: [
            { kind: "image", url: "https://acme.test/a.png", alt: "" },
            { kind: "text", html: "Hello [your name]" },
          ],
        },
      },
      [
        "warning: Add alternative text to 1 image.",
        "warning: Replace the placeholder [your name].",
      ],
    ],
  ])("%s", (_, changes, found) => {
    expect(check(changes)).toEqual(found)
  })

  it("names a variable whose type changes", () => {
    const published = contentOf({ bodyHtml: "{{ sum }}" })
    const variablesSchema = { variables: [{ name: "sum", type: "number" as const }] }
    expect(check({ bodyHtml: "{{ sum }}", variablesSchema }, published)).toEqual([
      "warning: {{ sum }} must be a number. Emails with another value are refused.",
    ])
  })

  it("asks nothing of code before the first version", () => {
    expect(
      checkTemplate({
        published: undefined,
        draft: contentOf({ bodyHtml: "{{ sum }}" }),
        outcome: tryRender(contentOf(), {}),
      }).map(({ text }) => text),
    ).toEqual([expect.stringContaining("KB")])
  })
})
