import type { Page, Request } from "playwright-core"
import { expect, it } from "vitest"
import { api, isLive, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const BATCH = 100

const batch = (subject: string, change: object = {}): Promise<{ data: { id: string }[] }> =>
  api(
    "POST",
    "/emails/batch",
    Array.from({ length: BATCH }, (_, index) => ({
      from: "Hello <hello@demo.test>",
      to: "success@simulator.amazonses.com",
      subject: `${subject} ${index}`,
      text: "Hi",
      ...change,
    })),
  )

const settle = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

async function openEmails() {
  const { page } = await signIn()
  const live = isLive(page)
  const { data } = await batch("Before", { scheduledAt: inAnHour() })
  await page.goto("/dashboard/emails")
  await page.getByText("Before 99").first().waitFor()
  await live
  return { page, before: data.map(({ id }) => id) }
}

/** Counts the page's calls of the API from now on. */
function countCalls(page: Page) {
  const calls: string[] = []
  page.on("request", (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith("/dashboard/api/")) calls.push(pathname)
  })
  return calls
}

const newRows = (page: Page) => page.getByRole("button", { name: /new$/ })

/** Subject and status of the rows in sight, by the page and by the API. */
async function expectApisRows(page: Page) {
  const { data } = await api("GET", "/emails?limit=100")
  const statusOf = new Map(
    data.map(({ subject, status }: Record<string, string>) => [subject, status]),
  )
  const rows = await page.getByRole("rowgroup").getByRole("row").allInnerTexts()
  expect(rows.length).toBeGreaterThan(10)
  for (const [index, text] of rows.slice(0, 10).entries()) {
    const { subject } = data[index]
    expect(text).toContain(subject)
    expect(text.toLowerCase()).toContain(statusOf.get(subject))
  }
}

const hide = (page: Page, hidden: boolean) =>
  page.evaluate(
    `Object.defineProperty(document, "hidden", { configurable: true, get: () => ${hidden} });
     document.dispatchEvent(new Event("visibilitychange"))`,
  )

it("follows 5,000 changes of a minute with under 100 calls, and ends with the API's rows", async () => {
  const { page } = await openEmails()
  const calls = countCalls(page)
  const batches = 25
  for (let sent = 0; sent < batches; sent++) {
    await Promise.all([batch(`Busy ${sent}`), settle(2_000)])
  }
  const open = async () => (await api("GET", "/emails?status=queued&limit=1")).data
  await expect.poll(open, { timeout: 60_000, interval: 1_000 }).toEqual([])
  const label = `${(batches * BATCH).toLocaleString("en")} new`
  await expect.poll(() => newRows(page).innerText(), { timeout: 20_000 }).toBe(label)
  expect(calls.length).toBeLessThan(100)
  await newRows(page).click()
  await expect.poll(() => expectApisRows(page).then(() => "equal", String)).toBe("equal")
}, 180_000)

it("leaves no row out when new rows are shown, and moves the status of every row", async () => {
  const { page, before } = await openEmails()
  await batch("Waits")
  await batch("Follows")
  await expect.poll(() => newRows(page).innerText()).toBe("200 new")
  const rows = await page.getByRole("table").getAttribute("aria-rowcount")
  await newRows(page).click()
  await expect
    .poll(async () => Number(await page.getByRole("table").getAttribute("aria-rowcount")))
    .toBe(Number(rows) + 200)
  const oldest = page.getByRole("row").filter({ hasText: /Before 0(?!\d)/ })
  await page.evaluate("scrollTo(0, 290 * 44)")
  await oldest.waitFor()
  await api("POST", `/emails/${before[0]}/cancel`)
  await oldest.getByText("Cancelled").waitFor()
})

it("finds an older row that matches a filter after a newer one, and puts it in its place", async () => {
  const { page } = await signIn()
  const live = isLive(page)
  const mark = `Moves${Date.now()}`
  const { data } = await batch(mark, { scheduledAt: inAnHour() })
  const [older, newer] = data.slice(-2).map(({ id }) => id)
  const subjects = async () => (await page.getByRole("row").allInnerTexts()).slice(1)
  await page.goto(`/dashboard/emails?q=${encodeURIComponent(`status:cancelled ${mark}`)}`)
  await page.getByText("No matches").waitFor()
  await live
  await api("POST", `/emails/${newer}/cancel`)
  await page.getByText(`${mark} 99`).waitFor()
  await api("POST", `/emails/${older}/cancel`)
  await expect.poll(() => newRows(page).innerText()).toBe("1 new")
  await newRows(page).click()
  await page.getByText(`${mark} 98`).waitFor()
  expect(await subjects()).toEqual([
    expect.stringContaining(`${mark} 99`),
    expect.stringContaining(`${mark} 98`),
  ])
})

it("counts the new rows that it shows", async () => {
  const { page } = await signIn()
  const live = isLive(page)
  const mark = `Counted${Date.now()}`
  await batch(mark, { scheduledAt: inAnHour() })
  await batch(mark, { scheduledAt: inAnHour() })
  await page.goto(`/dashboard/emails?q=${mark}`)
  await page.getByText("200 emails", { exact: true }).waitFor()
  await live
  await batch(mark)
  await expect.poll(() => newRows(page).innerText()).toBe("100 new")
  await newRows(page).click()
  await page.getByText("300 emails", { exact: true }).waitFor()
})

it("finds a row that matches a filter below those that a first page has", async () => {
  const { page } = await signIn()
  const live = isLive(page)
  const mark = `Deep${Date.now()}`
  const { data } = await batch(mark, { scheduledAt: inAnHour() })
  const cancel = (id: string | undefined) => api("POST", `/emails/${id}/cancel`)
  await Promise.all(data.slice(-30).map(({ id }) => cancel(id)))
  await page.goto(`/dashboard/emails?q=${encodeURIComponent(`status:cancelled ${mark}`)}`)
  await page.getByText(`${mark} 99`).waitFor()
  await live
  await cancel(data[0]?.id)
  await expect.poll(() => newRows(page).innerText()).toBe("1 new")
  await newRows(page).click()
  const rows = () => page.getByRole("table").getAttribute("aria-rowcount")
  await expect.poll(async () => Number(await rows())).toBe(31)
})

it("calls nothing while it is hidden, and catches up when it is shown", async () => {
  const { page } = await openEmails()
  await settle(2_000)
  await hide(page, true)
  const calls = countCalls(page)
  await batch("Unseen")
  await settle(4_000)
  expect(calls).toEqual([])
  await hide(page, false)
  await expect.poll(() => newRows(page).innerText()).toBe("100 new")
})

/** A tab that was hidden for the five minutes after which it closes its stream. They pass in a second. */
async function openLongHidden() {
  const { page } = await openEmails()
  await page.addInitScript(`const wait = setTimeout
    setTimeout = (run, ms, ...args) => wait(run, ms === 5 * 60_000 ? 1_000 : ms, ...args)`)
  const live = isLive(page)
  await page.reload()
  await page.getByText("Before 99").first().waitFor()
  await live
  await batch("Seen")
  await expect.poll(() => newRows(page).innerText()).toBe("100 new")
  const closed = page.waitForEvent("requestfailed", isStream)
  await hide(page, true)
  await closed
  return page
}

const isStream = (request: Request) => new URL(request.url()).pathname === "/dashboard/api/stream"

it("closes its stream after five minutes in a hidden tab, and resumes without a gap", async () => {
  const page = await openLongHidden()
  const calls = countCalls(page)
  await batch("Unseen")
  const opened = page.waitForRequest(isStream)
  await hide(page, false)
  expect((await opened).headers()["last-event-id"]).toMatch(/^\d+$/)
  await expect.poll(() => newRows(page).innerText()).toBe("200 new")
  expect(calls.filter((path) => path.endsWith("/stream"))).toHaveLength(1)
})

it("counts no new rows once a reset has read the list anew", async () => {
  const page = await openLongHidden()
  await batch("Unseen")
  const headers = { "content-type": "text/event-stream" }
  const body = ": connected\n\nid: 1\nevent: reset\ndata: {}\n\n"
  await page.route("**/dashboard/api/stream*", (route) => route.fulfill({ headers, body }), {
    times: 1,
  })
  await hide(page, false)
  await page.getByText("Unseen 99").waitFor()
  await newRows(page).waitFor({ state: "detached" })
})

it("says that it is behind while calls fail, and waits longer after each failure", async () => {
  const { page } = await openEmails()
  await page.route("**/dashboard/api/emails?*", (route) => route.abort())
  const calls = countCalls(page)
  await batch("Unread")
  await page.getByText("Couldn’t load the latest changes").waitFor()
  await settle(8_000)
  expect(calls.length).toBeLessThan(15)
  await page.unroute("**/dashboard/api/emails?*")
  await expect.poll(() => newRows(page).innerText(), { timeout: 40_000 }).toBe("100 new")
  await page.getByText("Couldn’t load the latest changes").waitFor({ state: "detached" })
})
