import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { choose } from "./choose.ts"
import { api, isLoaded, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const FOCUSED = "document.activeElement?.textContent ?? ''"

const send = (subject: string, to: string) =>
  api("POST", "/emails", { from: "hello@demo.test", to, subject, text: "Hi" })

it("takes a filter back with the back button", async () => {
  const { page } = await signIn()
  await page.goto("/dashboard")
  await page.getByRole("link", { name: "Emails", exact: true }).click()
  await page.getByRole("button", { name: "Filter", exact: true }).click()
  const status = page.getByRole("dialog").getByLabel("Status")
  await choose(status, "Bounced")
  await choose(status, "Scheduled")
  await expect.poll(() => page.url()).toContain("scheduled")
  await page.goBack()
  await expect.poll(() => status.innerText()).toBe("Bounced")
  await page.goBack()
  await expect.poll(() => status.innerText()).toBe("Any")
  await page.goBack()
  await page.getByRole("heading", { name: "Overview" }).waitFor()
})

it("leaves no step behind for each letter of a search", async () => {
  const { page } = await signIn()
  const slug = `searched-${Date.now()}`
  await api("POST", "/templates", { slug, name: slug, subject: "Hi", bodyHtml: "<p>Hi</p>" })
  await page.goto("/dashboard/domains")
  await page.getByRole("link", { name: "Templates", exact: true }).click()
  await page.getByLabel("Search templates").pressSequentially(slug, { delay: 30 })
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe(slug)
  await page.getByRole("link", { name: slug }).waitFor()
  await page.goBack()
  await page.getByRole("heading", { name: "Domains" }).waitFor()
})

it("keeps the tab of the settings in the address", async () => {
  const { page } = await signIn()
  const isOpen = (name: string) => page.getByRole("tab", { name, selected: true }).waitFor()
  await page.goto("/dashboard/settings")
  await isOpen("General")
  await page.getByRole("tab", { name: "Usage" }).click()
  await page.reload()
  await isOpen("Usage")
  await page.getByText("Email content and attachments").waitFor()
  await page.goBack()
  await isOpen("General")
})

it("clears a filter whose value was changed before", async () => {
  const { page } = await signIn()
  await page.goto("/dashboard/emails")
  await page.getByRole("button", { name: "Filter", exact: true }).click()
  const status = page.getByRole("dialog").getByLabel("Status")
  await choose(status, "Bounced")
  await choose(status, "Scheduled")
  await expect.poll(() => page.url()).toContain("scheduled")
  await choose(status, "Any")
  await expect.poll(() => page.url()).not.toContain("status")
  expect(await status.innerText()).toBe("Any")
})

const search = (page: Page) => page.getByLabel("Search suppressions")

it("clears a typed search on the same page, whatever came before it", async () => {
  const { page, context } = await signIn()
  const email = `ann-${Date.now()}@example.com`
  await api("POST", "/suppressions", { email })
  const typeAndClear = async (page: Page) => {
    await search(page).fill(email)
    await expect.poll(() => page.url()).toContain("q=ann")
    await search(page).fill("")
    await expect.poll(() => page.url()).toMatch(/\/suppressions$/)
    await page.getByRole("heading", { name: "Suppressions" }).waitFor()
  }
  await page.goto("/dashboard")
  await page.getByRole("link", { name: "Suppressions", exact: true }).click()
  await typeAndClear(page)
  await page.goBack()
  await page.getByRole("heading", { name: "Overview" }).waitFor()
  const other = await context.newPage()
  await other.goto("/dashboard/suppressions")
  await typeAndClear(other)
})

it("follows links and the back button in a typed search", async () => {
  const { page } = await signIn()
  const email = `eve-${Date.now()}@example.com`
  await api("POST", "/suppressions", { email })
  await page.goto("/dashboard/suppressions")
  await search(page).fill(email)
  await expect.poll(() => page.url()).toContain("q=eve")
  await page.getByRole("link", { name: "Suppressions", exact: true }).click()
  await expect.poll(() => search(page).inputValue()).toBe("")
  await page.goBack()
  await expect.poll(() => search(page).inputValue()).toBe(email)
})

it("closes a dialog with the back button, and leaves no step behind when it is closed otherwise", async () => {
  const { page } = await signIn()
  await page.goto("/dashboard/suppressions")
  await page.getByRole("link", { name: "Emails", exact: true }).click()
  const opener = page.getByRole("button", { name: "Send test email" })
  const dialog = page.getByRole("dialog")
  await opener.click()
  await dialog.waitFor()
  await page.goBack()
  await dialog.waitFor({ state: "detached" })
  await page.getByRole("heading", { name: "Emails" }).waitFor()

  await opener.click()
  await dialog.getByLabel("Subject").fill("Half written")
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: "Leave" }).click()
  await expect.poll(() => dialog.count()).toBe(0)
  await page.goBack()
  await page.getByRole("heading", { name: "Suppressions" }).waitFor()
})

it("gives the focus to the page, and back to the row that was opened", async () => {
  const { page } = await signIn()
  const subject = `Opened ${Date.now()}`
  await send(subject, "row@example.com")
  for (const to of ["one@example.com", "two@example.com"]) await send("After it", to)
  await page.goto("/dashboard/emails")
  await isLoaded(page)
  const row = page.getByRole("row", { name: subject })
  await row.getByRole("link").focus()
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: subject }).waitFor()
  await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("main")
  await page.goBack()
  await expect.poll(() => page.evaluate(FOCUSED)).toBe("row@example.com")
  await page.keyboard.press("k")
  await expect.poll(() => page.evaluate(FOCUSED)).toBe("one@example.com")
})

it("closes the menu of a phone with the back button and with Escape", async () => {
  const { page } = await signIn({ width: 390 })
  await page.goto("/dashboard/emails")
  const open = page.getByRole("button", { name: "Open menu" })
  await open.click()
  await page.getByRole("link", { name: "Domains" }).click()
  await page.getByRole("heading", { name: "Domains" }).waitFor()
  await open.click()
  await page.keyboard.press("Escape")
  await page.getByRole("link", { name: "Emails" }).waitFor({ state: "hidden" })
  expect(await open.evaluate("document.activeElement?.ariaLabel")).toBe("Open menu")
  await open.click()
  await page.goBack()
  await page.getByRole("heading", { name: "Emails" }).waitFor()
  await page.getByRole("link", { name: "Domains" }).waitFor({ state: "hidden" })
})
