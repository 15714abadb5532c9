import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { firstIdAt } from "../../src/lib/id.ts"
import { executeOn } from "../system/dev-server.ts"
import { launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()
const ROWS = 10_000

/** A team with 10,000 delivered emails, the newest first in the list. */
async function teamWithRows(page: Page): Promise<string> {
  const reply = await page.request.post("/dashboard/api/teams", { data: { name: "Many" } })
  const { id } = await reply.json()
  // With ids of an old time, the minute's work would purge them.
  const withTime = firstIdAt("email", Date.now()).slice(0, -16)
  executeOn(
    inject("state"),
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${ROWS - 1})
    insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at,
      sent_at, not_before)
    select '${id}', '${withTime}' || printf('%016d', i), 'delivered', '{"address":"hello@demo.test"}',
      json_array(json_object('address', 'person' || i || '@example.com', 'as', 'to')),
      'Invoice number ' || i, 'dom_none', ${Date.now()} - (${ROWS} - i) * 1000,
      ${Date.now()}, 0 from n`,
  )
  const newest = () =>
    page.request.get("/dashboard/api/emails?limit=1", { headers: { "x-team-id": id } })
  await expect
    .poll(async () => (await newest()).text(), { timeout: 20_000 })
    .toContain(`Invoice number ${ROWS - 1}`)
  return id
}

/** Frames a second, for two seconds, while each frame scrolls by so many pixels. */
const framesWhile = (pixels: number) => `new Promise((done) => {
  let first = 0
  let frames = 0
  let step = ${pixels}
  const frame = (now) => {
    first ||= now
    if (now - first > 2000) return done((frames * 1000) / (now - first))
    frames++
    const end = document.documentElement.scrollHeight - innerHeight
    if ((step > 0 && scrollY >= end) || (step < 0 && scrollY <= 0)) step = -step
    scrollBy(0, step)
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})`

const TO_THE_END = "scrollTo(0, document.documentElement.scrollHeight)"
const LOADED = `Number(document.querySelector("[aria-rowcount]")?.ariaRowCount ?? 0)`

it("draws three quarters of its frames while it scrolls 10,000 emails", async () => {
  const { page, complaints } = await signIn()
  const team = await teamWithRows(page)
  await page.addInitScript(`localStorage.setItem("team", "${team}")`)
  await page.goto("/dashboard/emails")
  await page.getByText(`Invoice number ${ROWS - 1}`).waitFor()
  const started = Date.now()
  for (let rows = 0; rows < ROWS; rows = (await page.evaluate(LOADED)) as number) {
    if (Date.now() - started > 360_000) throw new Error(`Only ${rows} rows: ${complaints}`)
    await page.evaluate(TO_THE_END)
    await page.waitForTimeout(50)
  }
  const loaded = Date.now() - started
  await page.evaluate(TO_THE_END)
  await page.getByText("Invoice number 0", { exact: true }).waitFor()

  const still = (await page.evaluate(framesWhile(0))) as number
  // Something else may have kept the machine busy: the best of three counts.
  const tries: number[] = []
  for (let round = 0; round < 3; round++) {
    tries.push((await page.evaluate(framesWhile(-400))) as number)
  }
  const scrolling = Math.max(...tries)
  const count = (frames: number) => `${frames.toFixed(1)} frames a second`
  console.info(
    `All rows after ${loaded} ms; ${count(still)} at rest, ${count(scrolling)} scrolling`,
  )
  expect(scrolling).toBeGreaterThan(still * 0.75)
  expect(await page.getByRole("row").count()).toBeLessThan(100)
  expect(complaints).toEqual([])
}, 420_000)

/** Until the numbers are drawn, by the page's own clock. */
const FIRST_LOAD = `(() => {
  const shown = () => document.querySelector("h1") && document.querySelector("dl dd a")
  return new Promise((done) => {
    const look = () => (shown() ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look))
    look()
  })
})()`

it("shows the overview's numbers within a second of an empty cache", async () => {
  const times: number[] = []
  for (let round = 0; round < 3; round++) {
    const { page, context } = await signIn()
    await page.goto("/dashboard", { waitUntil: "commit" })
    times.push((await page.evaluate(FIRST_LOAD)) as number)
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    await context.close()
  }
  const best = Math.min(...times)
  console.info(`The overview is shown after ${times.map((ms) => ms.toFixed(0)).join(", ")} ms`)
  // Three times what a quiet machine needs.
  expect(best).toBeLessThan(3_000)
}, 120_000)
