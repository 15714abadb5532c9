import { expect, it } from "vitest"
import { isLoaded, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const SOON = { timeout: 10_000 }

it("shows in one tab the layout that was saved in another, and loses nothing", async () => {
  const { page, context } = await signIn()
  await page.goto("/dashboard/layouts?new=true")
  await page.getByRole("dialog").getByLabel("Name").fill("Header")
  await page.getByRole("button", { name: "Create layout" }).click()
  await page.waitForURL(/lay_/)
  const name = page.getByLabel("Name")
  const other = await context.newPage()
  await other.goto(page.url())
  const isSaved = other.waitForResponse((reply) => reply.request().method() === "PATCH")
  await other.getByLabel("Name").fill("From the other tab")
  await isSaved
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
  await page.getByText("Someone else saved changes").waitFor()
  await expect.poll(() => name.inputValue(), SOON).toBe("From the other tab")
  const isSavedHere = page.waitForResponse((reply) => reply.request().method() === "PATCH")
  await name.fill("From this tab")
  await isSavedHere
  await page.reload()
  await isLoaded(page)
  await expect.poll(() => name.inputValue(), SOON).toBe("From this tab")
})
