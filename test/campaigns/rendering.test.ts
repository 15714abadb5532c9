import { describe, expect, it } from "vitest"
import { type Block, blocks, type Theme } from "../../src/campaigns/blocks.ts"
import { composeBody, renderBody } from "../../src/campaigns/compose.ts"
import type { MergeContact } from "../../src/campaigns/merge.ts"

const ada: MergeContact = {
  email: "ada@example.com",
  firstName: "Ada",
  lastName: null,
  properties: {},
}
const text = (html: string) => ({ kind: "text", html })

function render(list: object[], theme: Theme | null = null) {
  const body = composeBody({
    subject: "Hi {{ firstName }} <& co>",
    header: [],
    blocks: blocks.parse(list) as Block[],
    footer: [],
    theme,
  })
  return renderBody(body, ada, {}, "https://mail.test/unsubscribe/token.sig")
}

describe("the preheader", () => {
  const preheaderOf = (html: string) =>
    /mso-hide:all[^>]*>([^<]*?)(?:&#847;|<)/.exec(render([text(html)]).html)?.[1] ?? ""

  it.each([
    ["Dear ({{ firstName }}), ", "Dear (Ada), "],
    ["x{{ firstName }} and ", "xAda and "],
  ])("is never cut within a merge field: %s", (start, filled) => {
    for (let length = 90; length < 145; length++) {
      const words = "w ".repeat(length / 2)
      const shown = preheaderOf(`${words}${start}${"word ".repeat(40)}`)
      expect(shown).not.toMatch(/[{}]/)
      expect(`${words}${filled}${"word ".repeat(40)}`).toContain(shown.replace(/…$/, ""))
      expect(shown).toMatch(/…$/)
    }
  })

  it.each([
    ["Japanese", "秋の新作コレクションが入荷しました。".repeat(20), /^秋の新作.{100,}…$/u],
    ["families", "👨‍👩‍👧‍👦".repeat(40), /^(👨‍👩‍👧‍👦){12}…$/u],
    [
      "a long address",
      `See https://a.test/${"a".repeat(300)}`,
      /^See https:\/\/a\.test\/a{100,}…$/,
    ],
    ["a name between them", `${"新".repeat(135)}{{ firstName }}${"作".repeat(20)}`, /^新{135}…$/u],
  ])("without spaces is cut between its characters: %s", (_name, html, shown) => {
    expect(preheaderOf(html)).toMatch(shown)
  })

  it("is a heading's start where there is no text", () => {
    const { html } = render([{ kind: "heading", level: 1, text: "word ".repeat(99).trim() }])
    expect(html).toMatch(/mso-hide:all[^>]*>(word ){20,27}word…</)
  })
})

describe("the document", () => {
  it("is entitled with the subject, as its recipient gets it", () => {
    expect(render([text("Hi")]).html).toContain("<title>Hi Ada &lt;&amp; co&gt;</title>")
  })

  it("has room behind a short preheader, and none without one", () => {
    const filled = (html: string) =>
      /mso-hide:all[^>]*>(.*)<\/div>/.exec(render([text(html)]).html)?.[1]
    expect(filled("Hi")).toMatch(/^Hi(&#847;&zwnj;&nbsp;){138}$/)
    expect(filled("新".repeat(200))).toMatch(/^新{140}…$/u)
    expect(render([{ kind: "divider" }]).html).not.toContain("mso-hide:all")
  })
})

describe("the plain-text part", () => {
  const textOf = (list: object[]) => render(list).text.split("\n\n--\n")[0]

  it.each([
    ["One<br>two", "One\ntwo"],
    ["One <br> two <br/>\n <strong> three</strong>", "One\ntwo\nthree"],
    ["One <strong> two </strong> three", "One two three"],
    ['<a href="https://a.test">More </a> soon', "More (https://a.test) soon"],
  ])("has no spaces around its breaks: %s", (html, shown) => {
    expect(textOf([text(html)])).toBe(shown)
  })

  it("has where an image leads, even one without words, and no trace of others", () => {
    const image = { kind: "image", url: "https://a.test/i.png", alt: "" }
    expect(textOf([text("Hi"), image, { ...image, href: "https://a.test/sale" }])).toBe(
      "Hi\n\nhttps://a.test/sale",
    )
  })
})
