import { describe, expect, it } from "vitest"
import { blocks, theme } from "../../../src/worker/campaigns/blocks/contract.ts"
import { composeBody, renderBody } from "../../../src/worker/campaigns/body.ts"

const image = { kind: "image", url: "https://shop.test/sweater.png", alt: "A sweater" }
const text = (html: string) => ({ kind: "text", html })
const button = { kind: "button", label: "Buy it", url: "https://shop.test/buy?to={{ email }}" }

const product = (name: string) => [
  image,
  { kind: "heading", level: 3, text: name },
  text("Soft and warm."),
  button,
]

const ADDRESS = "1 Main Street <rear building>\n10115 Berlin\nGermany"

const everything = {
  subject: "{{ firstName }}, autumn is here & so are we",
  header: [{ ...image, url: "https://shop.test/logo.png", alt: "The Shop", width: 25 }],
  blocks: [
    { kind: "heading", level: 1, text: "Hello {{ firstName }} <3", spaceTop: 8 },
    text(
      'Dear <strong>{{ firstName }}</strong> of {{ properties.city }},<br>our <em>new</em> &amp; soft collection is here, and <a href="https://shop.test/{{ properties.city }}?a=1&amp;b=2">in your town</a> too: come and see it, or stay at home and have it sent.',
    ),
    { kind: "heading", level: 2, text: "In the middle", align: "center", color: "#7c2d12" },
    { ...text("To the right, and read in the dark"), align: "right", color: "#999999" },
    { ...text("Apart"), color: "#666666", spaceTop: 96, spaceBottom: 0 },
    image,
    { ...image, width: 50, align: "center", href: "https://shop.test/half" },
    { ...image, width: 25, align: "right", alt: "", href: "https://shop.test/quarter" },
    { ...image, width: 75, alt: "" },
    button,
    { ...button, align: "center", color: "#ffdd00", spaceBottom: 32 },
    { ...button, align: "right", url: "mailto:help@shop.test?subject=For%20{{ firstName }}" },
    { ...button, width: 100 },
    { ...button, width: 50, align: "center" },
    { kind: "divider" },
    { kind: "divider", width: 50, color: "#dc2626", align: "right", spaceTop: 16 },
    { kind: "spacer", size: 40 },
    {
      kind: "columns",
      layout: "1-1-1",
      columns: [product("One"), product("Two"), product("Three")],
    },
    {
      kind: "columns",
      layout: "1-1",
      columns: [[{ ...image, width: 50 }], [text("Beside it"), { kind: "spacer", size: 8 }]],
      spaceTop: 24,
      spaceBottom: 40,
    },
    { kind: "columns", layout: "2-1", columns: [[text("Wide")], [{ ...button, width: 100 }]] },
    { kind: "columns", layout: "1-2", columns: [[], [{ kind: "divider", width: 75 }]] },
  ],
  footer: [{ ...text("Until next time"), align: "center" }],
}

const dark = {
  font: "serif",
  contentWidth: 720,
  pageBackground: "#0b1020",
  cardBackground: "#141a2e",
  textColor: "#e6e9f5",
  linkColor: "#8ab4ff",
}

/** Files to look at in a browser; `vitest run --project worker test/worker/campaigns/golden -u` writes them. */
describe("a campaign comes out as in its golden files", () => {
  it.each<[string, Partial<typeof everything>, object | null]>([
    ["minimal", { blocks: [text("Hi")] }, null],
    ["everything", everything, null],
    ["dark", { ...everything, header: [], footer: [], subject: "Good evening" }, dark],
  ])("%s", async (name, { subject = "Hi", header, footer, blocks: own }, chosen) => {
    const body = composeBody({
      preheader: null,
      subject,
      header: header?.length ? blocks.parse(header) : [],
      blocks: blocks.parse(own),
      footer: footer?.length ? blocks.parse(footer) : [],
      theme: chosen && theme.parse(chosen),
      sender: { name: "The Shop & Sons", postalAddress: name === "minimal" ? null : ADDRESS },
    })
    const { html, text } = renderBody(
      body,
      { email: "ada@example.com", firstName: "Ada", lastName: null, properties: {} },
      { "properties.city": "Köln & more" },
      {
        unsubscribeUrl: "https://mail.test/unsubscribe/token.sig",
        preferencesUrl: "https://mail.test/preferences/token.sig",
      },
    )
    await expect(html).toMatchFileSnapshot(`./golden/${name}.html`)
    await expect(text).toMatchFileSnapshot(`./golden/${name}.txt`)
  })
})
