import { expect, inject, it } from "vitest"
import { executeOn } from "../system/dev-server.ts"
import { choose } from "./choose.ts"
import { isLoaded, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()
const HOUR_MS = 3_600_000
const THIS_HOUR = Date.now() - (Date.now() % HOUR_MS)

interface Row {
  agoHours: number
  template?: string
  sent: number
  hard?: number
  opened?: number
}

const hourOf = (team: string, { agoHours, template = "", sent, hard = 0, opened = 0 }: Row) => `
  insert into stats_hours (team_id, hour, domain_id, template_id, campaign_id, sent, delivered, hard,
    opened, mailboxes, delivery_times)
  values ('${team}', ${THIS_HOUR - agoHours * HOUR_MS}, 'dom_a', '${template}', '', ${sent},
    ${sent - hard}, ${hard}, ${opened}, '{"Gmail":[${sent},${sent - hard},${hard},0,0,0,0,0,0]}',
    '{"40":${sent - hard}}')`

async function openTeam(rows: Row[], look?: Parameters<typeof signIn>[0]) {
  const person = await signIn(look)
  const { page } = person
  const { id } = await (
    await page.request.post("/dashboard/api/teams", { data: { name: "Numbers" } })
  ).json()
  executeOn(inject("state"), rows.map((row) => hourOf(id, row)).join(";"))
  await page.addInitScript(`localStorage.setItem("team", "${id}")`)
  return { ...person, id }
}

it("shows a range's numbers, each leading to its emails", async () => {
  const { page, complaints } = await openTeam([
    { agoHours: 2, sent: 100, hard: 7, opened: 30 },
    { agoHours: 200, sent: 50 },
  ])
  await page.goto("/dashboard/metrics?range=24h")
  const totals = page.getByRole("definition")
  await totals.filter({ hasText: "7 hard, 0 soft" }).waitFor()
  await page.getByText("7% of sent. The line is the limit of 5%.").waitFor()
  await page.getByText("0% of sent. The line is the limit of 0.1%.").waitFor()
  await totals.filter({ hasText: "1 sec" }).first().waitFor()
  await page.getByRole("row", { name: /Gmail 100 93/ }).waitFor()

  await choose(page.getByLabel("Range"), "Last 30 days")
  await page.getByRole("row", { name: /Gmail 150 143/ }).waitFor()
  expect(new URL(page.url()).searchParams.get("range")).toBe("30d")

  await totals.filter({ hasText: /^150$/ }).waitFor()
  await page.getByText("Show as a table").click()
  const bounced = page.getByRole("table").first().getByRole("link", { name: "7", exact: true })
  await bounced.click()
  await page.getByRole("heading", { name: "Emails", exact: true }).waitFor()
  const q = new URL(page.url()).searchParams.get("q")
  expect(q).toMatch(/^status:bounced since:\S+T00:00Z until:\S+T00:00Z$/)
  expect(complaints).toEqual([])
})

it("keeps the filters in the address, and says what a tag leaves out", async () => {
  const { page, id: team } = await openTeam([{ agoHours: 1, sent: 5 }])
  const reply = await page.request.post("/dashboard/api/templates", {
    headers: { "x-team-id": team },
    data: { slug: "welcome", name: "Welcome", subject: "Hello", bodyHtml: "<p>Hello</p>" },
  })
  const { id: template } = await reply.json()
  executeOn(inject("state"), hourOf(team, { agoHours: 1, sent: 3, template }))
  await page.goto(`/dashboard/metrics?template=${template}`)
  await page.getByRole("row", { name: /Gmail 3 3/ }).waitFor()
  await page.getByText("No link was clicked yet.").waitFor()
  await page.getByLabel("Tag").fill("plan:pro")
  await page.getByLabel("Tag").press("Enter")
  await page.getByText("are not counted by tag").waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get("tag")).toBe("plan:pro")
})

it("counts by the hour while there are fewer than three days, on the overview as well", async () => {
  const { page, id } = await openTeam([{ agoHours: 1, sent: 5 }])
  for (const path of ["", "/metrics"]) {
    await page.goto(`/dashboard${path}`)
    await page.getByText(/^Hourly totals/).waitFor()
  }
  executeOn(inject("state"), hourOf(id, { agoHours: 5 * 24, sent: 5 }))
  for (const path of ["", "/metrics"]) {
    await page.goto(`/dashboard${path}`)
    await page.getByText(/^Daily totals/).waitFor()
  }
})

it.each([
  ["Asia/Tokyo", "00:00:00", "(Asia/Tokyo)."],
  // Counts are kept by the hour of UTC.
  ["Asia/Kolkata", "23:30:00", "Days start at 11:30 PM."],
])("counts days of %s from %s", async (timezoneId, start, words) => {
  const { page } = await openTeam([{ agoHours: 5 * 24, sent: 5 }], { timezoneId })
  const asked = page.waitForRequest(/stats\/series/)
  await page.goto("/dashboard/metrics")
  const since = new Date(new URL((await asked).url()).searchParams.get("since") ?? "")
  expect(since.toLocaleTimeString("sv", { timeZone: timezoneId })).toBe(start)
  await page.getByText(words).waitFor()
})

it("moves nothing on the overview when its numbers and its chart arrive", async () => {
  const { page, id } = await openTeam([{ agoHours: 1, sent: 5 }])
  await page.addInitScript(`localStorage.setItem("checklist-closed", "${id}")`)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/api\/(overview|stats)/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto("/dashboard")
  const tops = async () => {
    const boxes = ["Deliveries and bounces", "Recent emails"].map((name) =>
      page.getByRole("heading", { name }).boundingBox(),
    )
    return (await Promise.all(boxes)).map((box) => Math.round(box?.y ?? 0))
  }
  await page.getByText("Bounced").waitFor()
  const before = await tops()
  release()
  await page.getByText("Show as a table").waitFor()
  await isLoaded(page)
  expect(await tops()).toEqual(before)
})
