import AxeBuilder from "@axe-core/playwright"
import { expect, it } from "vitest"
import { launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

it("searches the audit log by the name of an object", async () => {
  const { page, complaints } = await signIn({ width: 390 })
  const data = { name: `Needle ${Date.now()}` }
  await page.request.post("/dashboard/api/api-keys", { data })
  await page.goto("/dashboard/audit-log")
  const search = page.getByLabel("Search the audit log")
  await search.fill("NEEDLE created nobody")
  await search.press("Enter")
  await page.getByText("No matches").waitFor()
  await search.fill(data.name.toUpperCase())
  await search.press("Enter")
  await expect.poll(() => page.getByRole("row").filter({ hasText: data.name }).count()).toBe(1)
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations).toEqual([])
  expect(complaints).toEqual([])
})

it("shows which fields an entry changed, before and after", async () => {
  const { page, complaints } = await signIn()
  const name = `Topic ${Date.now()}`
  const reply = await page.request.post("/dashboard/api/topics", { data: { name } })
  const { id } = await reply.json()
  const data = { description: "Once a month" }
  await page.request.patch(`/dashboard/api/topics/${id}`, { data })
  await page.goto(`/dashboard/audit-log?objectId=${id}`)
  const row = page.getByRole("row").filter({ hasText: "Topic changed" })
  await row.getByText("Description").waitFor()
  await row.getByRole("button", { name: "Topic changed" }).click()
  const dialog = page.getByRole("dialog", { name: "Topic changed" })
  await dialog.getByText("Description").waitFor()
  await dialog.getByText("Once a month").waitFor()
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations).toEqual([])
  expect(complaints).toEqual([])
})

it("names the settings of the team, which have no name of their own", async () => {
  const { page } = await signIn()
  for (const trackOpens of [true, false]) {
    await page.request.patch("/dashboard/api/team", { data: { trackOpens } })
  }
  await page.goto("/dashboard/audit-log")
  const row = page.getByRole("row").filter({ hasText: "Settings changed" }).first()
  expect(await row.getByRole("link").innerText()).toBe("Settings")
})
