import { expect, inject, it } from "vitest"
import { executeOn } from "../system/dev-server.ts"
import { choose } from "./choose.ts"
import { launchBrowser } from "./person.ts"

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

async function openTeam(rows: Row[]) {
  const person = await signIn()
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

it("shows hours on the overview while there are fewer than three days", async () => {
  const { page, id } = await openTeam([{ agoHours: 1, sent: 5 }])
  const today = new Date().toISOString().slice(0, 10)
  const day = (date: string) =>
    executeOn(
      inject("state"),
      `insert into stats_days (team_id, day, sent) values ('${id}', '${date}', 5)`,
    )
  day(today)
  await page.goto("/dashboard")
  await page.getByText("Hourly totals.").waitFor()
  day(new Date(Date.now() - 5 * 24 * HOUR_MS).toISOString().slice(0, 10))
  await page.reload()
  await page.getByText("Daily totals, in UTC.").waitFor()
})
