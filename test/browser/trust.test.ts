import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { newId } from "../../src/lib/id.ts"
import { executeOn } from "../system/dev-server.ts"
import { act, choose } from "./choose.ts"
import { fillTeam, pagesOf } from "./pages.ts"
import { api, credentials, isLoaded, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()
const REQUEST_ID = "req_01J00000000000000000000000"

/** Fails all calls but the session's and the stream's. Returns how to mend them. */
async function failCalls(page: Page) {
  const calls = /\/dashboard\/api\/(?!session|stream)/
  await page.route(calls, (route) =>
    route.fulfill({
      status: 400,
      headers: { "x-request-id": REQUEST_ID },
      json: { error: { code: "validation_error", message: "It does not work." } },
    }),
  )
  return () => page.unroute(calls)
}

it("says on every page what failed, with the request id, under its title", async () => {
  const { page } = await signIn()
  const needsNothing = ["/start", "/templates/new"]
  const paths = pagesOf(await fillTeam(api)).filter((path) => !needsNothing.includes(path))
  await failCalls(page)
  const silent: string[] = []
  for (const path of paths) {
    await page.goto(`/dashboard${path}`)
    const error = page.getByRole("alert").filter({ hasText: REQUEST_ID }).first()
    await error.waitFor({ timeout: 15_000 }).catch(() => silent.push(path))
    if (!(await page.locator("h1").isVisible())) silent.push(`${path}: no title`)
  }
  expect(silent).toEqual([])
}, 180_000)

it("tries again what failed", async () => {
  const { page } = await signIn()
  const mend = await failCalls(page)
  await page.goto("/dashboard/domains")
  await page.getByText("It does not work.").waitFor()
  await mend()
  await page.getByRole("button", { name: "Try again" }).click()
  await page.getByRole("link", { name: "demo.test" }).waitFor()
})

it("tries again also where the session could not be read", async () => {
  const { page } = await signIn()
  const session = "**/dashboard/api/session"
  await page.route(session, (route) => route.fulfill({ status: 500 }))
  await page.goto("/dashboard/domains")
  await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor()
  await page.unroute(session)
  await page.getByRole("button", { name: "Try again" }).click()
  await page.getByRole("heading", { name: "Domains" }).waitFor()
})

it("goes on where the next page of a list failed, without reading again what is there", async () => {
  const { page } = await signIn()
  const book = await api("POST", "/contact-books", { name: `Many ${Date.now()}` })
  const addresses = Array.from({ length: 120 }, (_, index) => `person-${index}@example.com`)
  await api("POST", `/contact-books/${book.id}/contacts/import`, {
    csv: ["email", ...addresses].join("\n"),
  })
  const next = /contacts\?.*cursor=/
  await page.route(next, (route) => route.fulfill({ status: 500 }))
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByText("person-").first().waitFor()
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
  const again = page.getByRole("button", { name: "Try again" })
  await again.waitFor()
  await page.unroute(next)
  const read: string[] = []
  page.on("request", (request) => read.push(request.url()))
  await again.click()
  const rows = () => page.getByRole("table").getAttribute("aria-rowcount")
  await expect.poll(rows).toBe("120")
  expect(read.filter((url) => /contacts\?/.test(url) && !next.test(url))).toEqual([])
})

it("goes on reading on a device that has lost its network, but reaches the service", async () => {
  const { page } = await signIn()
  await page.goto("/dashboard/domains")
  await page.getByRole("link", { name: "demo.test" }).waitFor()
  await page.evaluate("dispatchEvent(new Event('offline'))")
  const { name } = await api("POST", "/contact-books", { name: `Offline ${Date.now()}` })
  await page.getByRole("link", { name: "Contacts" }).click()
  await page.getByText(name).waitFor()
})

it("shows a lost connection while code does not load, and goes on once it does", async () => {
  const { page } = await signIn()
  const code = /assets\/[^/]*\.js$/
  const lost = page.getByText("Connection lost. Trying again…")
  await page.goto("/dashboard/domains")
  await page.getByRole("heading", { name: "Domains" }).waitFor()
  await isLoaded(page)
  await page.route(code, (route) => route.abort())
  await page.getByRole("button", { name: "Add domain" }).click()
  await lost.waitFor()
  await page.getByRole("heading", { name: "Domains" }).waitFor()
  await page.unroute(code)
  await page.getByRole("dialog", { name: "Add domain" }).waitFor()
  await lost.waitFor({ state: "detached" })
  await page.keyboard.press("Escape")

  await page.route(code, (route) => route.fulfill({ status: 503 }))
  await page.getByRole("link", { name: "Audit log" }).click()
  await lost.waitFor()
  await page.unroute(code)
  await page.getByRole("heading", { name: "Audit log" }).waitFor()
  await lost.waitFor({ state: "detached" })
})

it("shows a lost connection also where the first script does not load", async () => {
  const { page } = await signIn()
  const main = /assets\/index-[^/]*\.js$/
  await page.route(main, (route) => route.fulfill({ status: 503 }))
  await page.goto("/dashboard/domains")
  await page.getByText("Connection lost. Trying again…").waitFor()
  await page.unroute(main)
  await page.getByRole("heading", { name: "Domains" }).waitFor()
})

it("shows exact times and cut texts on hover", async () => {
  const { page } = await signIn()
  const subject = "A subject that is much too long for its column ".repeat(6).trim()
  await api("POST", "/emails", {
    from: "hello@demo.test",
    to: "ada@example.com",
    subject,
    text: "Hi",
  })
  await page.goto("/dashboard/emails")
  const row = page.getByRole("row").filter({ hasText: subject }).first()
  await row.getByRole("cell", { name: subject, exact: true }).hover()
  const hint = page.locator("div[aria-hidden].fixed")
  await expect.poll(() => hint.innerText()).toBe(subject)
  await row.locator("time:visible").hover()
  await expect.poll(() => hint.innerText()).toMatch(/\d:\d\d:\d\d .*(UTC|GMT|[A-Z]{3,4})/)
})

it("asks before unsaved changes are left, on a page and in a dialog", async () => {
  const { page } = await signIn()
  const asked = page.getByRole("dialog", { name: "Leave without saving your changes?" })
  const answer = async (label: string) => {
    await asked.getByRole("button", { name: label }).click()
    await asked.waitFor({ state: "detached" })
  }
  await page.goto("/dashboard/settings")
  await page.getByLabel("Team name").fill("Another name")
  await page.getByRole("link", { name: "Domains" }).click()
  await answer("Stay")
  expect(await page.getByLabel("Team name").inputValue()).toBe("Another name")
  await page.getByRole("link", { name: "Domains" }).click()
  await answer("Leave")
  await page.getByRole("heading", { name: "Domains" }).waitFor()

  await page.goto("/dashboard/emails?send=true")
  const sending = page.getByRole("dialog", { name: "Send test email" })
  const subject = sending.getByLabel("Subject")
  await subject.fill("Half written")
  await page.keyboard.press("Escape")
  // Esc answers the question alone.
  await asked.waitFor()
  await page.keyboard.press("Escape")
  await asked.waitFor({ state: "detached" })
  expect(await subject.inputValue()).toBe("Half written")
  await page.keyboard.press("Escape")
  await answer("Leave")
  await sending.waitFor({ state: "detached" })

  await page.goto("/dashboard/topics?new=true")
  const creating = page.getByRole("dialog", { name: "Create topic" })
  await creating.getByLabel("Name").fill("Half written")
  await page.keyboard.press("Escape")
  await answer("Leave")
  await creating.waitFor({ state: "detached" })
})

it("revokes a key only after its name is typed", async () => {
  const { page } = await signIn()
  const name = `Typed ${Date.now()}`
  await api("POST", "/api-keys", { name })
  await page.goto("/dashboard/api-keys")
  await act(page, name, "Revoke key")
  const calls: string[] = []
  page.on("request", (request) => request.method() === "DELETE" && calls.push(request.url()))
  const dialog = page.getByRole("dialog")
  const revoke = dialog.getByRole("button", { name: "Revoke key" })
  const typed = dialog.getByLabel(/to confirm/)
  await revoke.click({ force: true })
  await typed.press("Enter")
  await typed.press("Control+Enter")
  await dialog.getByText("This cannot be undone").waitFor()
  await typed.fill(name)
  await typed.press("Enter")
  await page.getByText("Key revoked").waitFor()
  expect(calls).toHaveLength(1)
  await expect.poll(() => page.getByText(name).count()).toBe(0)
})

it("undoes a change of a role", async () => {
  const { page } = await signIn()
  const name = `Colleague ${Date.now()}`
  const id = name.toLowerCase().replace(" ", "-")
  executeOn(
    inject("state"),
    `insert into users (id, name, email, email_verified, created_at, updated_at)
      values ('${id}', '${name}', '${id}@people.test', 1, 0, 0);
    insert into members (user_id, team_id, role, created_at)
      values ('${id}', '${credentials.teamId}', 'member', 0)`,
  )
  await page.goto("/dashboard/team")
  const role = page.getByRole("row").filter({ hasText: name }).getByRole("combobox")
  await choose(role, "Admin")
  await page.getByText(`${name} is now admin`).waitFor()
  await page.getByRole("button", { name: "Undo" }).click()
  await page.getByText("Undone").waitFor()
  await expect.poll(() => role.innerText()).toBe("Member")
})

it("shows the menu beside a page that is not there, and leads to another team's object", async () => {
  const { page } = await signIn()
  await page.request.post("/dashboard/api/teams", { data: { name: "Second team" } })
  for (const path of ["/no-such-page", "/%zz", "/domains/%ff/records?q=%zz"]) {
    await page.goto(`/dashboard${path}`)
    await page.getByRole("heading", { name: "Page not found" }).waitFor()
    await page.getByRole("link", { name: "Domains", exact: true }).waitFor()
  }
  await page.goto("/dashboard/emails/100%")
  await page.getByText("Email not found.").waitFor()
  await page.getByText("misspelt or incomplete").waitFor()
  await page.goto("/dashboard/emails/em_01KAHTZ9QGX4N7C2D5E8RVW3MB")
  await page.getByText("Email not found.").waitFor()
  await page.getByText("Emails are deleted after 90 days.").waitFor()
  await page.goto(`/dashboard/emails/${newId("email")}`)
  await page.getByText("switch to that team first").waitFor()
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0)
})
