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
