import { readFile } from "node:fs/promises"
import { expect, inject, it } from "vitest"
import { executeOn } from "../system/dev-server.ts"
import { choose, chooseDay } from "./choose.ts"
import { api, baseUrl, credentials, isLive, launchBrowser } from "./person.ts"
import { startWire } from "./wire.ts"

const { visit, signIn } = launchBrowser()

const message = (change: object = {}) => ({
  from: "Hello <hello@demo.test>",
  to: "success@simulator.amazonses.com",
  subject: "Your invoice",
  html: "<p>Hi there</p>",
  ...change,
})

it("leads a person who is not signed in to the sign-in, and back", async () => {
  const { page } = await visit()
  const { email, password } = credentials.dashboard
  await page.goto("/dashboard/emails")
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("heading", { name: "Emails" }).waitFor()
})

it("shows a sent email arrive and its status move without a reload", async () => {
  const { page } = await signIn()
  const live = isLive(page)
  await api("POST", "/emails", message({ subject: "The one before" }))
  await page.goto("/dashboard/emails")
  await page.getByText("The one before").first().waitFor()
  await live
  await api("POST", "/emails", message({ subject: "Arrives by itself" }))
  await page.getByRole("button", { name: /new$/ }).click()
  const row = page.getByRole("row").filter({ hasText: "Arrives by itself" })
  await row.getByText("Delivered").waitFor()
  // The overview calls accepted what the provider took.
  await page.getByRole("columnheader", { name: "Created" }).waitFor()
})

it("keeps to a range of days, which the URL holds", async () => {
  const { page } = await signIn({ width: 360 })
  const subject = `Of today ${Date.now()}`
  await api("POST", "/emails", message({ subject }))
  const dayFromNow = (days: number) => {
    const date = new Date()
    date.setDate(date.getDate() + days)
    return date.toLocaleDateString("sv")
  }
  const row = page.getByRole("row").filter({ hasText: subject })
  const panel = page.getByRole("dialog", { name: "Filters" })
  const chips = page.getByRole("list", { name: "Filters" }).getByRole("listitem")
  const from = panel.getByLabel("First day")
  const to = panel.getByLabel("Last day")
  await page.goto("/dashboard/emails")
  await row.waitFor()
  await page.getByRole("button", { name: "Filter", exact: true }).click()
  await chooseDay(from, dayFromNow(1))
  await page.getByText("No matches").waitFor()
  await chooseDay(from, dayFromNow(0))
  await row.waitFor()
  await chooseDay(to, dayFromNow(0))
  await page.waitForURL(/until/)
  await page.reload()
  await row.waitFor()
  const range = [`since:${dayFromNow(0)}`, `until:${dayFromNow(0)}`]
  expect(await chips.allTextContents()).toEqual(range)
  await page.getByRole("button", { name: "Filter", exact: true }).click()
  await from.waitFor()
  expect(await page.evaluate(CUT_DAYS)).toEqual([])
  await chooseDay(from, dayFromNow(-1))
  await chooseDay(to, dayFromNow(-1))
  await page.getByText("No matches").waitFor()
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: "Show all emails" }).click()
  await row.waitFor()
  expect(await chips.count()).toBe(0)
})

const CUT_DAYS = `[...document.querySelectorAll("[role=dialog] [data-value] span")]
  .filter((day) => day.scrollWidth > day.clientWidth + 1)
  .map((day) => day.textContent)`

it("shows a sender that differs from the usual one", async () => {
  const { page } = await signIn()
  const mark = `senders${Date.now()}`
  const senders = ["hello", "hello", "billing"]
  await api(
    "POST",
    "/emails/batch",
    senders.map((name) => message({ subject: mark, from: `Demo <${name}@demo.test>` })),
  )
  await page.goto(`/dashboard/emails?q=${mark}`)
  const rows = page.getByRole("row").filter({ hasText: mark })
  await expect.poll(() => rows.count()).toBe(3)
  const said = (await rows.allInnerTexts()).map((text) => /from \S+/.exec(text)?.[0])
  expect(said).toEqual(["from billing@demo.test", undefined, undefined])
  await page.getByRole("button", { name: "Filter", exact: true }).click()
  const sender = page.getByRole("textbox", { name: "Sender" })
  await sender.fill("billing@demo.test")
  await sender.press("Enter")
  await expect.poll(() => rows.count()).toBe(1)
})

it("combines filters as chips, which the URL holds, and keeps a tag when a status is chosen", async () => {
  const { page } = await signIn()
  const mark = `m${Date.now()}`
  const subject = `Receipt ${mark}`
  await api("POST", "/emails", message({ subject, tags: { plan: mark } }))
  await api("POST", "/emails", message({ subject: "Another one", tags: { plan: mark } }))
  const rows = page.getByRole("row").filter({ hasText: /Receipt|Another one/ })
  await page.goto("/dashboard/emails")
  const search = page.getByLabel("Search emails")
  await search.fill(`tag:plan:${mark} rece`)
  await search.press("Enter")
  const chips = page.getByRole("list", { name: "Filters" })
  await chips.getByText(`tag:plan:${mark}`).waitFor()
  expect(await search.inputValue()).toBe("rece")
  await page.getByRole("row").filter({ hasText: subject }).waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  const panel = page.getByRole("dialog", { name: "Filters" })
  await page.getByRole("button", { name: "Filter", exact: true }).click()
  await choose(panel.getByLabel("Status"), "Bounced")
  await page.getByText("No matches", { exact: true }).waitFor()
  expect(await chips.getByRole("listitem").count()).toBe(2)
  await choose(panel.getByLabel("Created"), "Last 7 days")
  await choose(panel.getByLabel("Sending domain"), "demo.test")
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: "Remove status:bounced" }).click()
  await page.reload()
  await page.getByRole("row").filter({ hasText: subject }).waitFor()
  expect(await chips.getByRole("listitem").allTextContents()).toEqual([
    `tag:plan:${mark}`,
    "since:7d",
    "domain:demo.test",
  ])
  await page.goBack()
  await page.getByText("No matches", { exact: true }).waitFor()
})

it("finds a person by a part of the address, suggests filters, and rejects a misspelt one", async () => {
  const { page, complaints } = await signIn()
  const mark = `sharma${Date.now()}`
  await api("POST", "/emails", message({ to: `success+donald.${mark}@simulator.amazonses.com` }))
  await page.goto("/dashboard/emails")
  const search = page.getByLabel("Search emails")
  await search.fill(`donald.${mark}`)
  await search.press("Enter")
  await page.getByRole("row").filter({ hasText: mark }).waitFor()
  await search.fill(`${mark} sta`)
  await page.getByRole("option", { name: /^status:/ }).waitFor()
  await search.press("ArrowDown")
  await search.press("Enter")
  await search.pressSequentially("del")
  await page.getByRole("option", { name: "status:delivered" }).click()
  await page.getByRole("list", { name: "Filters" }).getByText("status:delivered").waitFor()
  await search.fill("stats:bounced")
  await search.press("Enter")
  await page.getByRole("alert").getByText("There is no filter “stats”").waitFor()
  await page.getByRole("button", { name: /^Search for/ }).click()
  await page.getByRole("list", { name: "Filters" }).getByText("status:bounced").waitFor()
  expect(complaints).toEqual([])
})

it("exports what the search finds as CSV", async () => {
  const { page } = await signIn()
  const mark = `m${Date.now()}`
  const { id } = await api("POST", "/emails", message({ subject: "=1+1", tags: { plan: mark } }))
  for (const q of [`tag:plan:${mark}`, id]) {
    await page.goto(`/dashboard/emails?q=${q}`)
    await page.getByRole("row").filter({ hasText: "=1+1" }).waitFor()
    await page.getByRole("button", { name: "Export as CSV" }).click()
    const downloading = page.waitForEvent("download")
    await page.getByRole("dialog").getByRole("button", { name: "Export as CSV" }).click()
    const text = await readFile(await (await downloading).path(), "utf8")
    const [head, ...lines] = text.trimEnd().split("\n")
    expect(head).toMatch(/^id,created_at,sent_at,status/)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(",'=1+1,")
  }
  await page.getByRole("button", { name: "More" }).click()
  await page.getByRole("menuitem", { name: "As a request" }).click()
  await page.getByRole("dialog").getByText(`/api/v1/emails/${id}`).first().waitFor()
})

interface Shown {
  ownerDocument: {
    defaultView: { getComputedStyle(element: unknown): { color: string; fontWeight: string } }
  }
}

const styleOf = (element: unknown) => {
  const { getComputedStyle } = (element as Shown).ownerDocument.defaultView
  const { color, fontWeight } = getComputedStyle(element)
  return [color, fontWeight]
}

it("says what happened to an email, and shows markup as text", async () => {
  const { page, complaints } = await signIn()
  const subject = "<img src=x onerror=alert(1)>"
  const html = `<style>p { color: rgb(1, 2, 3) }</style><p style="font-weight: 700">Hi</p><script>alert(1)</script>`
  const { id } = await api(
    "POST",
    "/emails",
    message({ to: "bounce@simulator.amazonses.com", subject, html, overrideSuppression: true }),
  )
  page.on("dialog", () => complaints.push("a script ran"))
  await page.goto(`/dashboard/emails/${id}`)
  await page.getByRole("heading", { name: subject }).waitFor()
  await page.getByText(/^Hard bounce/).waitFor()
  const mail = page.frameLocator("iframe").locator("p")
  await mail.waitFor()
  expect(await mail.evaluate(styleOf)).toEqual(["rgb(1, 2, 3)", "700"])
  expect(complaints).toEqual([])
})

it("says times and advice in a person's words, not in the API's", async () => {
  const { page } = await signIn()
  const { id: later } = await api("POST", "/emails", message({ scheduledAt: inAnHour() }))
  await page.goto(`/dashboard/emails/${later}`)
  await page.getByText("To reschedule it, use “Reschedule”.").waitFor()
  const planned = page.getByText("Scheduled for")
  expect(await planned.innerText()).not.toMatch(/\dT\d/)
  const { id } = await api("POST", "/emails", message())
  await page.goto(`/dashboard/emails/${id}`)
  const headline = page.getByText("Delivered to")
  await headline.waitFor()
  expect(await headline.innerText()).not.toMatch(/\dT\d/)
})

it("reschedules to the time that was typed, in any form, and to no other text", async () => {
  const { page } = await signIn()
  const { id } = await api("POST", "/emails", message({ scheduledAt: inDays(2) }))
  const scheduled = async () => new Date((await api("GET", `/emails/${id}`)).scheduledAt)
  await page.goto(`/dashboard/emails/${id}`)
  for (const [typed, hours, minutes] of [
    ["1430", 14, 30],
    ["930", 9, 30],
    ["8:15", 8, 15],
    ["5:00 PM", 17, 0],
    ["6pm", 18, 0],
  ] as const) {
    await page.getByRole("button", { name: "Reschedule", exact: true }).click()
    await page.getByLabel("Time").fill("")
    await page.getByLabel("Time").pressSequentially(typed)
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    const at = await scheduled()
    expect([at.getHours(), at.getMinutes()]).toEqual([hours, minutes])
  }
  await page.getByRole("button", { name: "Reschedule", exact: true }).click()
  await page.getByLabel("Time").fill("noon")
  await page.getByRole("button", { name: "Reschedule email" }).click()
  await page.getByRole("alert").getByText("Enter a time").waitFor()
  expect((await scheduled()).getHours()).toBe(18)
  await page.getByLabel("Time").fill("700")
  await page.getByRole("button", { name: "Reschedule email" }).click()
  await page.getByRole("dialog").waitFor({ state: "detached" })
  expect((await scheduled()).getHours()).toBe(7)
})

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

it("leads from a tag to its emails, also if its value has spaces", async () => {
  const { page } = await signIn()
  const tags = { customer: `Ada ${Date.now()}` }
  const { id } = await api("POST", "/emails", message({ tags, subject: "Of a customer" }))
  await page.goto(`/dashboard/emails/${id}`)
  await page.getByRole("link", { name: `customer:${tags.customer}` }).click()
  await page.getByText("1 email", { exact: true }).waitFor()
  await page.getByText("Of a customer").waitFor()
})

it("shows a lost stream, and catches up once it is back", async () => {
  const wire = await startWire(baseUrl)
  const { page } = await signIn({ baseURL: wire.url })
  const live = isLive(page)
  const { id } = await api("POST", "/emails", message({ scheduledAt: inAnHour() }))
  await page.goto(`/dashboard/emails/${id}`)
  await live
  await page.getByText("Scheduled").first().waitFor()
  wire.cut()
  await page.getByText("Connection lost").waitFor()
  await api("POST", `/emails/${id}/cancel`)
  wire.mend()
  await page.getByText("Cancelled").first().waitFor({ timeout: 40_000 })
  await page.getByText("Connection lost").waitFor({ state: "detached" })
  wire.close()
})

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

it("reads an email and its explanation at the same time, so that nothing moves", async () => {
  const { page } = await signIn()
  const { id } = await api("POST", "/emails", {
    from: "hello@demo.test",
    to: "success@simulator.amazonses.com",
    subject: "Read at once",
    text: "Hi",
  })
  const isExplained = page.waitForRequest(/explain$/)
  await page.route(`**/api/emails/${id}`, async (route) => {
    await isExplained
    await route.continue()
  })
  await page.goto(`/dashboard/emails/${id}`)
  await page.getByRole("heading", { name: "Read at once" }).waitFor()
})

it("shows failed attempts on the timeline, and who is suppressed before it is sent again", async () => {
  const { page, complaints } = await signIn()
  const to = `bounce+${Date.now()}@simulator.amazonses.com`
  const { id } = await api("POST", "/emails", message({ to, subject: "Again" }))
  const status = async () => (await api("GET", `/emails/${id}`)).status
  await expect.poll(status, { timeout: 20_000 }).toBe("bounced")
  const fault = "The provider closed the connection"
  const faults = `json_array(json_object('at', created_at, 'answer', '${fault}'))`
  executeOn(inject("state"), `update emails set faults = ${faults} where id = '${id}'`)

  await page.goto(`/dashboard/emails/${id}`)
  const entries = page.getByRole("listitem")
  await entries.filter({ hasText: "Attempt failed" }).getByText(fault).waitFor()
  const states = (await entries.allInnerTexts()).map((text) => text.split("\n")[0])
  expect(states.indexOf("Attempt failed")).toBeLessThan(states.indexOf("Sent"))

  await page.getByRole("button", { name: "Send again" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText(`${to} is suppressed (Bounced)`).waitFor()
  await dialog.getByRole("link", { name: "See the suppression" }).click()
  await page.getByRole("button", { name: "Remove suppression" }).waitFor()
  expect(complaints).toEqual([])
})
