import AxeBuilder from "@axe-core/playwright"
import { expect, it } from "vitest"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const message = (subject: string, tags: Record<string, string> = {}) => ({
  from: "Hello <hello@demo.test>",
  to: "success@simulator.amazonses.com",
  subject,
  text: "Hi",
  tags,
})

it("saves the filters of the list, opens, renames and deletes them, and undoes that", async () => {
  const { page, complaints } = await signIn()
  const mark = `m${Date.now()}`
  await api("POST", "/emails", message(`Saved ${mark}`, { plan: mark }))
  await page.goto(`/dashboard/emails?q=tag:plan:${mark} since:7d`)
  await page.getByText("1 email", { exact: true }).waitFor()
  await page.getByRole("button", { name: "Save view" }).click()
  const dialog = page.getByRole("dialog", { name: "Save view" })
  await dialog.getByLabel("Name").fill(`View ${mark}`)
  await dialog.getByRole("button", { name: "Save view" }).click()
  const views = page.getByRole("navigation", { name: "Views" })
  await views.getByRole("link", { name: `View ${mark}` }).waitFor()
  expect(await views.getByRole("link", { name: `View ${mark}` }).getAttribute("aria-current")).toBe(
    "page",
  )
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations).toEqual([])

  await views.getByRole("link", { name: "All emails" }).click()
  await expect.poll(() => new URL(page.url()).search).toBe("")
  await page.keyboard.press("ControlOrMeta+k")
  await page.getByPlaceholder(/^Search pages/).fill(`View ${mark}`)
  const found = page.getByRole("option", { name: new RegExp(`View ${mark}.*Saved view`) })
  // Results that arrive later move the list under a pointer.
  await found.dispatchEvent("click")
  await expect
    .poll(() => new URL(page.url()).searchParams.get("q"))
    .toBe(`tag:plan:${mark} since:7d`)

  await page.getByRole("button", { name: `Actions for View ${mark}` }).click()
  await page.getByRole("menuitem", { name: "Rename view" }).click()
  const renaming = page.getByRole("dialog", { name: "Rename view" })
  await renaming.getByLabel("Name").fill(`New ${mark}`)
  await renaming.getByRole("button", { name: "Rename view" }).click()
  await views.getByRole("link", { name: `New ${mark}` }).waitFor()

  await page.getByRole("button", { name: `Actions for New ${mark}` }).click()
  await page.getByRole("menuitem", { name: "Delete view" }).click()
  await page.getByText(`“New ${mark}” deleted`).waitFor()
  await expect.poll(() => views.getByRole("link", { name: `New ${mark}` }).count()).toBe(0)
  await page.getByRole("button", { name: "Undo" }).click()
  await page.getByRole("link", { name: `New ${mark}` }).waitFor()
  expect(complaints).toEqual([])
})

it("replaces the filters of a view whose name is typed again", async () => {
  const { page } = await signIn()
  const name = `Again ${Date.now()}`
  const data = { name, query: { status: "bounced" } }
  await page.request.post("/dashboard/api/views", { data })
  await page.goto("/dashboard/emails?q=status:failed since:24h")
  await page.getByRole("button", { name: "Save view" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill(name.toUpperCase())
  await dialog.getByRole("button", { name: "Replace view" }).click()
  await page.getByRole("button", { name: `Actions for ${name}` }).waitFor()
  const { data: views } = await (await page.request.get("/dashboard/api/views")).json()
  const { query } = views.find((view: { name: string }) => view.name === name)
  expect(query).toEqual({ status: ["failed"], since: "24h" })
})
