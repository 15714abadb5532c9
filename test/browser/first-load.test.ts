import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { fillTeam, pagesOf } from "./pages.ts"
import { api, isLoaded, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()
const SLOW = { downloadThroughput: 200_000, uploadThroughput: 100_000, latency: 300 }
/** The page; its scripts, the session and the first data. */
const MAX_TRIPS = 3
/** A connection of HTTP/1.1 carries one request at a time, and a browser opens six. */
const MAX_REQUESTS = 14
const MAX_BYTES = 180_000

let ids: Record<string, string>
beforeAll(async () => {
  ids = await fillTeam(api)
  // Pages ask again about webhooks when a delivery ends: those of other tests may still have some.
  const { data } = await api("GET", "/webhooks?limit=100")
  for (const { id } of data) if (id !== ids.webhook) await api("DELETE", `/webhooks/${id}`)
})

interface Request {
  path: string
  start: number
  end: number
  bytes: number
}

/** Every request of the page, with the times of the browser's network service. */
async function recordRequests(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send("Network.enable")
  const requests = new Map<string, Request>()
  cdp.on("Network.requestWillBeSent", ({ requestId, request, timestamp }) => {
    const { pathname, search } = new URL(request.url)
    requests.set(requestId, {
      path: pathname + search,
      start: timestamp,
      end: Number.POSITIVE_INFINITY,
      bytes: 0,
    })
  })
  cdp.on("Network.loadingFinished", ({ requestId, timestamp, encodedDataLength }) => {
    const request = requests.get(requestId)
    if (request) Object.assign(request, { end: timestamp, bytes: encodedDataLength })
  })
  const slowDown = () => cdp.send("Network.emulateNetworkConditions", { offline: false, ...SLOW })
  return { slowDown, all: () => [...requests.values()] }
}

/** The most requests of which each began when the one before had ended, up to this one. */
function tripsUntil(last: Request, requests: readonly Request[]): number {
  const before = requests.filter(({ end }) => end <= last.start)
  return 1 + Math.max(0, ...before.map((request) => tripsUntil(request, before)))
}

/** When the first row was drawn, by the page's own clock. */
const ROWS_DRAWN = `new MutationObserver((_, self) => {
  if (document.querySelectorAll("[role=row]").length < 2) return
  self.disconnect()
  globalThis.rowsDrawn = performance.now()
}).observe(document, { childList: true, subtree: true })`

/** Loads the list of emails in a new browser, and counts what it asks for until it is loaded. */
async function countFirstLoad() {
  const { page, context, complaints } = await signIn()
  await context.addInitScript(ROWS_DRAWN)
  const { slowDown, all } = await recordRequests(page)
  await slowDown()
  await page.goto("/dashboard/emails", { waitUntil: "commit" })
  await page.getByRole("row").nth(1).waitFor()
  const drawn = (await page.evaluate("globalThis.rowsDrawn")) as number
  const requests = all()
  const rows = requests.find(({ path }) => path === "/dashboard/api/emails?limit=100")
  const session = requests.find(({ path }) => path === "/dashboard/api/session")
  const scripts = requests.filter(({ path, end }) => /\.js$/.test(path) && end < rows!.end)
  expect(scripts.length).toBeGreaterThan(0)
  expect(tripsUntil(session!, requests)).toBeLessThanOrEqual(MAX_TRIPS)
  expect(tripsUntil(rows!, requests)).toBeLessThanOrEqual(MAX_TRIPS)
  for (const script of requests.filter(({ path }) => /\.js$/.test(path))) {
    expect([script.path, tripsUntil(script, requests)]).toSatisfy(([, n]) => n <= MAX_TRIPS)
  }
  // Afterwards the page asks for what it can do without, such as its icon.
  const first = requests.filter(({ start, end }) => start < rows!.end && Number.isFinite(end))
  const loaded = Math.max(...first.map(({ end }) => end))
  const before = requests.filter(({ start }) => start < loaded)
  const bytes = before.reduce((sum, request) => sum + request.bytes, 0)
  console.info(
    `The rows are drawn after ${drawn.toFixed(0)} ms at 1.6 Mbit/s and 300 ms: ${before.length} requests, ${bytes} bytes`,
  )
  expect(complaints).toEqual([])
  await context.close()
  return { requests: before.length, bytes }
}

it("asks for script, session and rows side by side, in few requests", async () => {
  // On a busy machine, the page may ask for what can wait before the rows have come.
  const loads = []
  for (let round = 0; round < 3; round++) loads.push(await countFirstLoad())
  expect(Math.min(...loads.map(({ requests }) => requests))).toBeLessThanOrEqual(MAX_REQUESTS)
  expect(Math.min(...loads.map(({ bytes }) => bytes))).toBeLessThanOrEqual(MAX_BYTES)
}, 90_000)

it("every page uses what was asked for beside its script, and asks for nothing twice", async () => {
  const { page } = await signIn()
  const { all } = await recordRequests(page)
  async function load(path: string): Promise<string[]> {
    const known = all().length
    await page.goto(`/dashboard${path}`)
    await page.locator("h1").first().waitFor()
    await isLoaded(page)
    const left = (await page.evaluate("[...firstCalls.keys()]")) as string[]
    const calls = all()
      .slice(known)
      .map((request) => request.path)
      .filter((url) => url.startsWith("/dashboard/api/"))
    const repeated = calls.filter((url, index) => calls.indexOf(url) !== index)
    // The list is also what says which threads are unread once messages are read.
    if (path === "/threads?view=unread") repeated.length = 0
    return [
      ...left.map((call) => `${path} does not use ${call}`),
      ...repeated.map((call) => `${path} asks twice for ${call}`),
    ]
  }
  const wrong: string[] = []
  for (const path of pagesOf(ids)) {
    // What the page shows may have changed while it was loaded.
    let found = await load(path)
    for (let tries = 1; tries < 4 && found.length > 0; tries++) found = await load(path)
    wrong.push(...found)
  }
  expect(wrong).toEqual([])
}, 180_000)
