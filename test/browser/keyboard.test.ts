import { expect, it } from "vitest"
import { pressInARow } from "./keyboard.ts"
import { api, isLoaded, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const FOCUSED = "document.activeElement?.textContent ?? ''"
const FIELD = "document.activeElement?.name"
const ROW = "document.activeElement?.closest('[role=row]')?.ariaRowIndex"

const send = (subject: string) =>
  api("POST", "/emails", {
    from: "hello@demo.test",
    to: "ada@example.com",
    subject,
    text: "Hi",
  })

it("goes everywhere by keyboard, and says how", async () => {
  const { page, complaints } = await signIn()
  const { keyboard } = page
  await send("The one before")
  const { id } = await send("Found by its id")
  await page.goto("/dashboard")
  await page.getByRole("heading", { name: "Overview" }).waitFor()

  await pressInARow(page, "g", "e")
  await page.getByRole("heading", { name: "Emails", exact: true }).waitFor()
  await page.getByText("Found by its id").first().waitFor()
  const row = () => page.evaluate(ROW)
  for (const [key, index] of [
    ["j", "1"],
    ["j", "2"],
    ["k", "1"],
  ] as const) {
    await keyboard.press(key)
    await expect.poll(row).toBe(index)
  }

  await keyboard.press("?")
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("g e").waitFor()
  await keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await expect.poll(row).toBe("1")
  await keyboard.press("Enter")
  await page.getByRole("heading", { name: "Timeline" }).waitFor()

  await keyboard.press("Control+k")
  await page.getByPlaceholder("Search pages, actions, names, addresses and ids").fill(id)
  await page.getByRole("option", { name: `Open ${id}` }).waitFor()
  await keyboard.press("Enter")
  await page.getByRole("heading", { name: "Found by its id" }).waitFor()
  await api("POST", "/contact-books", { name: "Found by its name" })
  await keyboard.press("/")
  await page.getByPlaceholder("Search pages, actions, names, addresses and ids").fill("by its name")
  await page.getByRole("option", { name: "Found by its name Contact book" }).click()
  await page.getByRole("heading", { name: "Found by its name" }).waitFor()
  await keyboard.press("/")
  await page
    .getByPlaceholder("Search pages, actions, names, addresses and ids")
    .fill("create an api")
  await page.getByRole("option", { name: "Create an API key" }).waitFor()
  await keyboard.press("Enter")
  await page.getByRole("dialog", { name: "Create API key" }).waitFor()
  expect(complaints).toEqual([])
}, 60_000)

it("switches the shortcuts of characters off in this browser, and on again", async () => {
  const { page } = await signIn()
  const { keyboard } = page
  const switchThem = page.getByRole("switch", { name: "Single-key shortcuts" })
  await page.goto("/dashboard")
  await page.getByRole("heading", { name: "Overview" }).waitFor()
  await keyboard.press("?")
  await switchThem.click()
  expect(await switchThem.isChecked()).toBe(false)
  await keyboard.press("Escape")
  await page.reload()
  await page.getByRole("heading", { name: "Overview" }).waitFor()
  for (const key of ["g", "e", "/", "?"]) await keyboard.press(key)
  expect(await page.getByRole("dialog").count()).toBe(0)
  await page.getByRole("heading", { name: "Overview" }).waitFor()

  await keyboard.press("Control+k")
  await page.getByRole("option", { name: "Keyboard shortcuts" }).click()
  await switchThem.click()
  await keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await pressInARow(page, "g", "e")
  await page.getByRole("heading", { name: "Emails", exact: true }).waitFor()
}, 60_000)

it("submits a dialog with Ctrl+Enter, and gives the focus back when it closes", async () => {
  const { page } = await signIn()
  const email = `by-keyboard-${Date.now()}@example.com`
  await page.goto("/dashboard/suppressions")
  const opener = page.getByRole("button", { name: "Suppress address" })
  await opener.press("Enter")
  const dialog = page.getByRole("dialog")
  await expect.poll(() => page.evaluate(FIELD)).toBe("email")
  await page.keyboard.press("Escape")
  await dialog.waitFor({ state: "detached" })
  await expect.poll(() => page.evaluate(FOCUSED)).toBe("Suppress address")
  await page.keyboard.press("Enter")
  await dialog.getByLabel("Address").fill(email)
  await page.keyboard.press("Control+Enter")
  await page.getByRole("link", { name: email }).waitFor()

  await page.goto("/dashboard/emails")
  await page.getByRole("button", { name: "Send test email" }).press("Enter")
  await expect.poll(() => page.evaluate(FIELD)).toBe("from")
})

it("keeps the focus in a search that Enter has started or cleared", async () => {
  const { page } = await signIn()
  await send("In the test inbox")
  const entry = page.getByRole("row").nth(1)
  const message = page.getByRole("navigation", { name: "Messages" }).getByRole("link").first()
  for (const [path, label, shown] of [
    ["/audit-log", "Search the audit log", entry],
    ["/inbox", "Search messages", message],
  ] as const) {
    await page.goto(`/dashboard${path}?q=nobody-has-this`)
    const search = page.getByLabel(label)
    for (const [q, found] of [
      ["other-words", page.getByText(/^No matches/)],
      ["", shown],
    ] as const) {
      await search.fill(q)
      await page.keyboard.press("Enter")
      await found.waitFor()
      expect(new URL(page.url()).searchParams.get("q") ?? "").toBe(q)
      expect(await page.evaluate("document.activeElement?.ariaLabel")).toBe(label)
    }
  }
})

it("the palette keeps what is typed while its code loads, and the page gets none of it", async () => {
  const { page } = await signIn()
  await page.goto("/dashboard/emails")
  const search = page.getByLabel("Search emails")
  await search.focus()
  await isLoaded(page)
  await page.route(/assets\/[^/]*\.js$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
  await page.keyboard.press("Control+k")
  await page.keyboard.type("webho1", { delay: 20 })
  await page.keyboard.press("Backspace")
  const field = page.getByPlaceholder("Search pages, actions, names, addresses and ids")
  await field.waitFor()
  await expect.poll(() => page.evaluate("document.activeElement?.placeholder")).toBeTruthy()
  await page.keyboard.type("oks")
  expect(await field.inputValue()).toBe("webhooks")
  await page.keyboard.press("Escape")
  await field.waitFor({ state: "detached" })
  expect(await search.inputValue()).toBe("")
  await expect.poll(() => page.evaluate("document.activeElement?.ariaLabel")).toBe("Search emails")
})

it("the palette takes Enter before its answers, and goes to the first one when it is there", async () => {
  const { page } = await signIn()
  const subject = `Receipt${Date.now()}`
  await api("POST", "/emails", { from: "a@demo.test", to: "b@demo.test", subject, text: "Hi" })
  await page.goto("/dashboard/domains")
  await page.getByRole("heading", { level: 1 }).waitFor()
  const release = Promise.withResolvers<void>()
  await page.route(/api\/emails\?q=/, async (route) => {
    await release.promise
    await route.continue()
  })
  await page.keyboard.press("/")
  await page.keyboard.type(subject)
  await page.keyboard.press("Enter")
  await page.getByText(`Searching for “${subject}”`).waitFor()
  release.resolve()
  await page.getByRole("heading", { name: subject }).waitFor()
  expect(page.url()).toContain("/emails/em_")
})

it("the palette finds emails, contacts and suppressions by an address or words of a subject", async () => {
  const { page, complaints } = await signIn()
  const mark = `p${Date.now()}`
  const message = { from: "a@demo.test", subject: `Receipt ${mark}`, text: "Hi" }
  await api("POST", "/emails", { ...message, to: `${mark}@example.com` })
  await api("POST", "/suppressions", { email: `${mark}-gone@example.com` })
  const book = await api("POST", "/contact-books", { name: "Readers" })
  const contact = { email: "ada@example.com", firstName: "Ada", lastName: mark }
  await api("POST", `/contact-books/${book.id}/contacts`, contact)
  await page.goto("/dashboard")
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.keyboard.press("Control+k")
  await page.getByPlaceholder("Search pages, actions, names, addresses and ids").fill(mark)
  const found = page.getByRole("option")
  await found.filter({ hasText: `${mark}-gone@example.com` }).waitFor()
  await found
    .filter({ hasText: `Ada ${mark}` })
    .getByText("Contact in Readers")
    .waitFor()
  await found.filter({ hasText: `Receipt ${mark}` }).click()
  await page.getByRole("heading", { name: `Receipt ${mark}` }).waitFor()
  expect(complaints).toEqual([])
})

it("the palette, opened again, shows what was created while its first calls were running", async () => {
  const { page } = await signIn()
  const read = Promise.withResolvers<void>()
  const created = Promise.withResolvers<void>()
  await page.route(
    "**/dashboard/api/contact-books?limit=100",
    async (route) => {
      const response = await route.fetch()
      read.resolve()
      await created.promise
      await route.fulfill({ response }).catch(() => {})
    },
    { times: 1 },
  )
  await page.goto("/dashboard")
  await page.getByRole("heading", { name: "Overview" }).waitFor()
  await page.keyboard.press("Control+k")
  await read.promise
  await page.keyboard.press("Escape")
  const field = page.getByPlaceholder("Search pages, actions, names, addresses and ids")
  await field.waitFor({ state: "detached" })
  const { name } = await api("POST", "/contact-books", { name: `Meanwhile ${Date.now()}` })
  await page.keyboard.press("Control+k")
  await field.fill(name)
  created.resolve()
  await page.getByRole("option", { name: `${name} Contact book` }).waitFor()
})

it("submits a form once, however often Ctrl+Enter is pressed", async () => {
  const { page } = await signIn()
  const name = `Once ${Date.now()}`
  await page.goto("/dashboard/api-keys?new=true")
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill(name)
  await pressInARow(page, "Control+Enter", "Control+Enter", "Enter")
  await dialog.getByText("Copy it now").waitFor()
  const { data } = await api("GET", "/api-keys?limit=100")
  expect(data.filter((key: { name: string }) => key.name === name)).toHaveLength(1)
})
