import type { Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { faultsOf } from "./faults.ts"
import { focused, tabTo } from "./keyboard.ts"
import { fillTeam } from "./pages.ts"
import { newTeam } from "./people.ts"
import { api, baseUrl, isLoaded, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const SOON = { timeout: 20_000 }

/** The kinds of the blocks as they stand, those of columns too. */
const kindsOf = async (page: Page) =>
  (
    await page
      .getByRole("list", { name: "Blocks" })
      .locator("[data-handle]")
      .evaluateAll((handles) => handles.map((handle) => String(handle.getAttribute("aria-label"))))
  ).map((label) => label.split(",")[0])

async function makeBook() {
  const book = await api("POST", "/contact-books", { name: `News ${Date.now()}` })
  for (const firstName of ["Ada", "Grace", "Edsger"]) {
    await api("POST", `/contact-books/${book.id}/contacts`, {
      email: `success+${firstName.toLowerCase()}@simulator.amazonses.com`,
      firstName,
    })
  }
  return book
}

it("is written, checked and sent by keyboard alone, up to its results", async () => {
  const { page, complaints } = await signIn()
  const { keyboard } = page
  const book = await makeBook()
  await page.goto("/dashboard/campaigns/new")
  await page.getByLabel("Subject").waitFor()
  await tabTo(page, /^Name/)
  await keyboard.type("Spring")
  await tabTo(page, /^Contact book/)
  await keyboard.type(book.name)
  await tabTo(page, /^Subject/)
  await keyboard.type("Hello from us")
  await keyboard.press("Control+Enter")

  await page.getByRole("button", { name: "Review and send" }).waitFor()
  await page.getByRole("list", { name: "Blocks" }).waitFor()
  await tabTo(page, /^Text, 2 of 2/)
  await keyboard.press("Enter")
  await keyboard.press("Control+End")
  await keyboard.type(" spring is here.")
  await tabTo(page, "Add a block below text")
  await keyboard.press("Enter")
  await expect.poll(() => focused(page), SOON).toBe("Heading")
  await keyboard.press("b")
  await expect.poll(() => focused(page), SOON).toBe("Button")
  await keyboard.press("Enter")
  await expect.poll(() => focused(page), SOON).toBe("Button label")
  await keyboard.type("Read more")
  await keyboard.press("Alt+Enter")
  await expect.poll(() => focused(page), SOON).toBe("Link URL")
  await keyboard.type("https://example.com/spring")
  await page.getByText("Saved", { exact: true }).waitFor()

  await keyboard.press("Escape")
  await expect.poll(() => focused(page), SOON).toBe("Button, 3 of 3: Read more")
  await keyboard.press("Alt+ArrowUp")
  await expect.poll(() => kindsOf(page)).toEqual(["Heading", "Button", "Text"])
  await keyboard.press("Control+d")
  await expect.poll(() => kindsOf(page)).toEqual(["Heading", "Button", "Button", "Text"])
  await keyboard.press("Delete")
  await expect.poll(() => kindsOf(page)).toEqual(["Heading", "Button", "Text"])
  await keyboard.press("Control+z")
  await keyboard.press("Control+z")
  await keyboard.press("Control+z")
  await expect.poll(() => kindsOf(page)).toEqual(["Heading", "Text", "Button"])
  await keyboard.press("Control+Shift+z")
  await expect.poll(() => kindsOf(page)).toEqual(["Heading", "Button", "Text"])
  expect(await faultsOf(page)).toEqual([])

  await tabTo(page, "Review and send")
  await keyboard.press("Enter")
  await page.getByRole("list", { name: "Checks" }).waitFor()
  await tabTo(page, "Send campaign now")
  await keyboard.press("Enter")
  await page.getByLabel("Type Spring to confirm").waitFor()
  await tabTo(page, "Type Spring to confirm")
  await keyboard.type("Spring")
  await keyboard.press("Enter")

  await page.getByText("Campaign is being sent").waitFor()
  const number = (name: string) =>
    page.locator("dl > div").filter({ hasText: name }).locator("dd").innerText()
  await expect.poll(() => number("Delivered"), { timeout: 40_000 }).toMatch(/^3/)
  const rows = page.getByRole("table", { name: "Recipients" }).getByRole("row")
  await rows.filter({ hasText: "success+ada@" }).getByText("Delivered").waitFor()
  const { data } = await api("GET", "/campaigns")
  const { id, blocks } = data.find(({ bookId }: { bookId: string }) => bookId === book.id)
  const status = async () => (await api("GET", `/campaigns/${id}`)).status
  await expect.poll(status, { timeout: 20_000 }).toBe("sent")
  expect(blocks).toMatchObject([
    { kind: "heading", text: "Hello from us" },
    { kind: "button", label: "Read more", url: "https://example.com/spring" },
    { kind: "text", html: "Hello {{ firstName }}, spring is here." },
  ])
  expect(complaints).toEqual([])
})

it("puts a dragged block where the line is, also into a column, and back by Esc", async () => {
  const { page, complaints } = await signIn()
  const { campaign } = await fillTeam(api)
  await page.goto(`/dashboard/campaigns/${campaign}`)
  const list = page.getByRole("list", { name: "Blocks" })
  const kinds = () => kindsOf(page).then((names) => names.join())
  await expect.poll(kinds).toBe("Heading,Text,Button")
  const drag = async (name: string, to: { x: number; y: number }) => {
    const grip = await centre(page.getByRole("button", { name: new RegExp(`^${name}, `) }))
    await page.mouse.move(grip.x, grip.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 5 })
  }
  await list.waitFor()
  const top = await centre(list.getByRole("listitem").first())
  await drag("Button", top)
  await page.keyboard.press("Escape")
  await page.mouse.up()
  await expect.poll(kinds).toBe("Heading,Text,Button")
  await drag("Button", top)
  await page.mouse.up()
  await expect.poll(kinds).toBe("Button,Heading,Text")

  await page.waitForTimeout(IGNORES_CLICKS_MS)
  await page.getByRole("textbox", { name: "Text" }).click()
  await page.getByRole("button", { name: "Add block" }).click()
  await page.getByRole("menuitem", { name: "Columns" }).click()
  const column = page.getByRole("list", { name: "Column 2" })
  await column.waitFor({ state: "attached" })
  await drag("Heading", await centre(page.getByRole("button", { name: "Add a block to column 2" })))
  await page.mouse.up()
  await expect.poll(() => column.innerText()).toContain("News")
  await expect.poll(kinds).toBe("Button,Text,Columns,Heading")
  expect(complaints).toEqual([])
})

/** dnd-kit ignores clicks for 50 ms after a drop. No person clicks as fast. */
const IGNORES_CLICKS_MS = 100

async function centre(element: Locator) {
  await element.scrollIntoViewIfNeeded()
  const box = await element.boundingBox()
  if (!box) throw new Error("Not shown")
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** A campaign for a book of its own. */
async function scheduleIn(ms: number) {
  const book = await api("POST", "/contact-books", { name: `Short-lived ${Date.now()}` })
  const { data: domains } = await api("GET", "/domains")
  const { id } = await api("POST", "/campaigns", {
    name: "Spring sale",
    bookId: book.id,
    domainId: domains.find(({ name }: { name: string }) => name === "demo.test").id,
    from: "news@demo.test",
    subject: "Hello",
    blocks: [{ kind: "heading", level: 1, text: "News" }],
  })
  const scheduledAt = new Date(Date.now() + ms).toISOString()
  await api("POST", `/campaigns/${id}/schedule`, { scheduledAt })
  return { book, id }
}

it("writes lists in a text and a preheader, and keeps both", async () => {
  const { page, complaints } = await signIn()
  const { keyboard } = page
  const { campaign } = await fillTeam(api)
  await page.goto(`/dashboard/campaigns/${campaign}`)
  await page.getByLabel("Preheader").fill("Two things for {{ firstName }}")
  const editor = page.getByRole("textbox", { name: "Text" })
  await editor.press("Control+A")
  await keyboard.type("Before")
  await page.getByRole("button", { name: "Bulleted list" }).click()
  await keyboard.press("Enter")
  await keyboard.type("Second")
  const saved = async () => {
    const { blocks, preheader } = await api("GET", `/campaigns/${campaign}`)
    const text = blocks.find(({ kind }: { kind: string }) => kind === "text")
    return [text.html, preheader]
  }
  const wanted = ["<ul><li>Before</li><li>Second</li></ul>", "Two things for {{ firstName }}"]
  await expect.poll(saved).toEqual(wanted)
  await keyboard.press("Enter")
  await keyboard.press("Enter")
  await keyboard.type("After")
  await expect.poll(async () => (await saved())[0]).toBe(`${wanted[0]}After`)
  await page.reload()
  await expect.poll(() => editor.innerText()).toContain("After")
  await editor.press("Control+End")
  await keyboard.type("wards")
  await expect.poll(async () => (await saved())[0]).toBe(`${wanted[0]}Afterwards`)
  await page.getByRole("button", { name: "Preview", exact: true }).click()
  await page.frameLocator("iframe").getByRole("listitem").filter({ hasText: "Second" }).waitFor()
  expect(complaints).toEqual([])
})

it("says what becomes of a scheduled campaign whose contact book is deleted", async () => {
  const { page } = await signIn()
  const { book, id } = await scheduleIn(3_600_000)
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByRole("button", { name: "More", exact: true }).click()
  await page.getByRole("menuitem", { name: "Delete book" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText("1 campaign is scheduled for this book.").waitFor()
  await dialog.getByRole("link", { name: "Spring sale" }).waitFor()
  await dialog.getByLabel(`Type ${book.name} to confirm`).fill(book.name)
  await dialog.getByRole("button", { name: "Delete book" }).click()
  await page.getByText("Book deleted").waitFor()

  await page.goto(`/dashboard/campaigns/${id}`)
  await page.getByText("The contact book was deleted").waitFor()
  const due = await scheduleIn(10_000)
  await api("DELETE", `/contact-books/${due.book.id}`)
  const status = async () => {
    await fetch(new URL("/cdn-cgi/handler/scheduled", baseUrl))
    return (await api("GET", `/campaigns/${due.id}`)).status
  }
  await expect.poll(status, { timeout: 40_000, interval: 2_000 }).toBe("draft")
  await page.goto(`/dashboard/campaigns/${due.id}`)
  await page.getByText("Not sent on time").waitFor()
  await page.goto("/dashboard/campaigns")
  await page
    .getByRole("row", { name: "Spring sale" })
    .getByText("Not sent", { exact: true })
    .waitFor()
  await page.goto("/dashboard")
  await page.getByText("Spring sale was not sent on time").first().waitFor()
  await page.getByText("All good").waitFor({ state: "detached" })
})

it("moves the list while nobody reloads it", async () => {
  const { page } = await signIn()
  const { id } = await scheduleIn(3_600_000)
  await page.goto("/dashboard/campaigns")
  const row = page.getByRole("row").filter({ has: page.locator(`a[href$="${id}"]`) })
  await row.getByText("Scheduled", { exact: true }).waitFor()
  await api("PATCH", `/campaigns/${id}`, { subject: "Changed elsewhere" })
  await row.getByText("Draft", { exact: true }).waitFor(SOON)
})

it("reads no list again while none of its campaigns is moving", async () => {
  const { page, context } = await signIn()
  const { id } = await newTeam(context.request)
  await page.addInitScript(`localStorage.setItem("team", "${id}")`)
  await page.goto("/dashboard/campaigns")
  await isLoaded(page)
  let calls = 0
  page.on("request", (request) => {
    if (request.url().includes("/api/campaign-rows")) calls++
  })
  await page.waitForTimeout(12_000)
  expect(calls).toBe(0)
})

it("offers the time again that a campaign had before it was changed, and shows it scheduled", async () => {
  const { page } = await signIn()
  const { book, id } = await scheduleIn(3_600_000)
  await api("POST", `/contact-books/${book.id}/contacts`, { email: "ada@example.com" })
  await page.goto(`/dashboard/campaigns/${id}`)
  await page.getByRole("button", { name: "Edit", exact: true }).click()
  await page.getByText("Changes turn it back into a draft.").waitFor()
  await page.getByLabel("Subject").fill("Hello again")
  await page.getByText("Draft", { exact: true }).waitFor()
  await page.getByRole("button", { name: "Review and send" }).click()
  const day = await page.getByLabel(/^Send at/).getAttribute("data-value")
  const at = `${day}T${await page.getByLabel("Time").inputValue()}`
  expect(Math.abs(Date.parse(at) - Date.now() - 3_600_000)).toBeLessThan(180_000)
  const schedule = page.getByRole("dialog").getByRole("button", { name: "Schedule campaign" })
  await schedule.click()
  const asked = page.getByRole("dialog", { name: "Schedule campaign" })
  await asked.getByRole("button", { name: "Schedule campaign" }).click()
  await page.getByText("Campaign scheduled").waitFor()
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor()
  expect(await page.getByText("Someone else saved").count()).toBe(0)
})

it("shows in one tab what was saved in another, and loses nothing", async () => {
  const { page, context } = await signIn()
  const { id } = await scheduleIn(3_600_000)
  const other = await context.newPage()
  for (const tab of [page, other]) {
    await tab.goto(`/dashboard/campaigns/${id}`)
    await tab.getByRole("button", { name: "Edit", exact: true }).click()
    await tab.getByLabel("Subject").waitFor()
  }
  await other.getByLabel("Subject").fill("From the other tab")
  await other.getByText("Draft", { exact: true }).waitFor()
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
  await page.getByText("Someone else saved changes").waitFor()
  const subject = () => page.getByLabel("Subject").inputValue()
  await expect.poll(subject, SOON).toBe("From the other tab")
  await page.getByLabel("Subject").fill("From this tab")
  await expect
    .poll(async () => (await api("GET", `/campaigns/${id}`)).subject, SOON)
    .toBe("From this tab")
  expect(await page.getByText("Someone else saved").count()).toBeLessThan(2)
})
