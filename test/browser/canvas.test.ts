import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { faultsOf } from "./faults.ts"
import { focused } from "./keyboard.ts"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const SOON = { timeout: 10_000 }

async function makeCampaign(blocks: unknown[]): Promise<string> {
  const book = await api("POST", "/contact-books", { name: `Canvas ${Date.now()}` })
  const { data: domains } = await api("GET", "/domains")
  const { id } = await api("POST", "/campaigns", {
    name: "Canvas",
    bookId: book.id,
    domainId: domains.find(({ name }: { name: string }) => name === "demo.test").id,
    from: "news@demo.test",
    subject: "Hello",
    blocks,
  })
  return id
}

const blocksOf = async (id: string) => (await api("GET", `/campaigns/${id}`)).blocks

async function openCanvas(page: Page, id: string) {
  await page.goto(`/dashboard/campaigns/${id}`)
  await page.getByRole("list", { name: "Blocks" }).waitFor()
}

it("offers the kinds of blocks for a slash in an empty text, and writes it on Esc", async () => {
  const { page, complaints } = await signIn()
  const { keyboard } = page
  const id = await makeCampaign([{ kind: "heading", level: 1, text: "News" }])
  await openCanvas(page, id)
  await page.getByRole("textbox", { name: "Heading" }).click()
  await keyboard.press("Control+End")
  await keyboard.press("Enter")
  await expect.poll(() => focused(page), SOON).toBe("Text")
  await keyboard.type("/")
  await page.getByRole("menuitem", { name: "Button" }).waitFor()
  await keyboard.press("Escape")
  await page.getByRole("menu").waitFor({ state: "detached" })
  await expect.poll(() => focused(page), SOON).toBe("Text")
  await keyboard.type("either")
  await expect.poll(() => blocksOf(id), SOON).toMatchObject([{}, { html: "/either" }])
  await keyboard.press("Control+A")
  await keyboard.press("Backspace")
  await keyboard.type("/")
  await page.getByRole("menuitem", { name: "Divider" }).click()
  await expect
    .poll(() => blocksOf(id), SOON)
    .toMatchObject([{ kind: "heading" }, { kind: "divider" }])
  expect(complaints).toEqual([])
})

it("starts a block with Enter where the caret is, and offers the kinds for a slash after a word", async () => {
  const { page, complaints } = await signIn()
  const { keyboard } = page
  const id = await makeCampaign([{ kind: "text", html: "One two", align: "center" }])
  await openCanvas(page, id)
  const isIn = (text: string) =>
    expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe(text)
  // The editor learns of a moved caret with the next frame. Nobody types faster.
  const moved = () =>
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
  await page.getByRole("textbox", { name: "Text" }).click()
  await isIn("One two")
  await keyboard.press("Home")
  for (let at = 0; at < "One ".length; at++) await keyboard.press("ArrowRight")
  await moved()
  await keyboard.press("Enter")
  await isIn("two")
  await keyboard.type("And ")
  await keyboard.press("End")
  await moved()
  await keyboard.press("Shift+Enter")
  await keyboard.type("three ")
  const split = [
    { kind: "text", html: expect.stringMatching(/^One ?$/), align: "center" },
    {
      kind: "text",
      html: expect.stringContaining("And two<br>three"),
      align: "center",
    },
  ]
  await expect.poll(() => blocksOf(id), SOON).toEqual(split)
  await keyboard.type("/")
  await page.getByRole("menuitem", { name: "Divider" }).waitFor()
  await keyboard.press(" ")
  await keyboard.type("4 and/or")
  await expect.poll(async () => (await blocksOf(id))[1].html, SOON).toMatch(/three \/ 4 and\/or$/)
  await keyboard.press("Enter")
  await keyboard.press("Enter")
  await expect.poll(() => blocksOf(id), SOON).toHaveLength(2)
  await page.getByText("Saved", { exact: true }).waitFor()
  await keyboard.type("/")
  await page.getByRole("menuitem", { name: "Divider" }).click()
  await expect.poll(async () => (await blocksOf(id))[2]?.kind, SOON).toBe("divider")
  expect(complaints).toEqual([])
})

it("undoes and redoes what is typed while the text has the focus, and loses no letter", async () => {
  const { page } = await signIn()
  const { keyboard } = page
  const id = await makeCampaign([{ kind: "text", html: "First" }])
  await openCanvas(page, id)
  const text = page.getByRole("textbox", { name: "Text" })
  await text.click()
  await keyboard.press("Control+End")
  await keyboard.type(" and second")
  await page.waitForTimeout(1_100)
  await keyboard.type(" and third")
  await keyboard.press("Control+z")
  await expect.poll(() => text.innerText(), SOON).toBe("First and second")
  await keyboard.press("Control+z")
  await expect.poll(() => text.innerText(), SOON).toBe("First")
  await keyboard.press("Control+Shift+z")
  await expect.poll(() => text.innerText(), SOON).toBe("First and second")
  const long = "The quick brown fox jumps over the lazy dog. ".repeat(4)
  await keyboard.press("Control+End")
  await keyboard.type(`. ${long}`)
  const typed = [{ html: `First and second. ${long}` }]
  await expect.poll(() => blocksOf(id), SOON).toMatchObject(typed)
})

const WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"

const DRAWN = [
  { kind: "heading", level: 1, text: "A heading that is long enough to need a second line on it" },
  {
    kind: "text",
    html: "Hello <strong>you</strong>, this text wraps to another line of the message, on every screen.<ul><li>One</li><li>Two</li></ul>",
    spaceTop: 12,
  },
  { kind: "button", label: "Read on", url: "https://acme.test/", align: "center", width: 50 },
  { kind: "divider", width: 75 },
  {
    kind: "columns",
    layout: "2-1",
    columns: [
      [{ kind: "heading", level: 3, text: "The left column" }],
      [{ kind: "text", html: "The right column has text", color: "#0f766e" }],
    ],
  },
  { kind: "spacer", size: 40 },
]

/** The width of the card, and the height of each row in it. */
const CANVAS_ROWS = `(() => {
  const rows = document.querySelectorAll("[data-card] > ol > li")
  return [document.querySelector("[data-card]").clientWidth, ...[...rows].map((row) => Math.round(row.getBoundingClientRect().height))]
})()`
const SENT_ROWS = `(() => {
  const { contentDocument } = document.querySelector("iframe")
  const [card] = contentDocument.querySelectorAll("table[bgcolor] table[bgcolor]")
  const rows = [...card.rows].slice(1, -1)
  return [card.clientWidth, ...rows.map((row) => Math.round(row.getBoundingClientRect().height))]
})()`

it.each(["Desktop", "Phone"])("draws each block as tall as it is sent: %s", async (view) => {
  const { page } = await signIn()
  await openCanvas(page, await makeCampaign(DRAWN))
  await page.getByRole("button", { name: view, exact: true }).click()
  const drawn = (await page.evaluate(CANVAS_ROWS)) as number[]
  expect(drawn).toHaveLength(1 + DRAWN.length)
  await page.getByRole("button", { name: "Preview", exact: true }).click()
  await page.getByRole("button", { name: view, exact: true }).click()
  await page.frameLocator("iframe").getByText("Read on").waitFor()
  await expect.poll(() => page.evaluate(SENT_ROWS), SOON).toEqual(drawn)
})

describe.each(["light", "dark"] as const)("on a phone in the %s theme", (theme) => {
  it("edits the settings of a block in a sheet, and nothing is wider than the screen", async () => {
    const { page, complaints } = await signIn({ theme, width: 390 })
    const id = await makeCampaign(DRAWN)
    await openCanvas(page, id)
    await page.getByRole("textbox", { name: "Button label" }).click()
    await page.getByRole("button", { name: "Block settings" }).click()
    const sheet = page.getByRole("dialog", { name: "Button" })
    await sheet.getByLabel("Link URL").fill("https://acme.test/other")
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press("Escape")
    await sheet.waitFor({ state: "detached" })
    await expect.poll(async () => (await blocksOf(id))[2].url, SOON).toBe("https://acme.test/other")
    await page.getByRole("button", { name: "Dark", exact: true }).click()
    expect(await faultsOf(page)).toEqual([])
    expect(await page.evaluate(WIDER)).toBe(false)
    expect(complaints).toEqual([])
  })
})

it("starts a campaign with the blocks and the subject of a starter", async () => {
  const { page, complaints } = await signIn()
  await api("POST", "/contact-books", { name: `Starters ${Date.now()}` })
  await page.goto("/dashboard/campaigns/new")
  await page.getByText("Survey", { exact: true }).click()
  expect(await page.getByLabel("Subject").inputValue()).toContain("how are we doing?")
  await page.getByLabel("Name", { exact: true }).fill("From a starter")
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole("button", { name: "Create draft" }).click()
  await page.getByRole("list", { name: "Blocks" }).waitFor()
  await page.getByRole("list", { name: "Column 3" }).getByText("Poor").waitFor()
  expect(complaints).toEqual([])
})

it("takes HTML in a campaign, shows it, and leaves its scripts out", async () => {
  const { page, complaints } = await signIn()
  const id = await makeCampaign([{ kind: "divider" }])
  await openCanvas(page, id)
  await page.getByRole("button", { name: "Add block", exact: true }).click()
  await page.getByRole("menuitem", { name: "HTML" }).click()
  const html = "<h1>Big news</h1><script>top.x = 1</script>"
  await page.getByRole("textbox", { name: "HTML" }).fill(html)
  await expect.poll(() => blocksOf(id), SOON).toEqual([{ kind: "divider" }, { kind: "html", html }])
  const shown = page.frameLocator('iframe[title="HTML"]')
  await shown.getByRole("heading", { name: "Big news" }).waitFor()
  expect(await page.evaluate('"x" in window')).toBe(false)
  expect(await faultsOf(page)).toEqual([])
  expect(complaints).toEqual([])
})
