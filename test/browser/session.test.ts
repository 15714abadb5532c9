import { expect, it } from "vitest"
import { pressInARow } from "./keyboard.ts"
import { credentials, isLive, isLoaded, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

it("leads to the sign-in once the session has ended, and back", async () => {
  const { page, context } = await signIn()
  const live = isLive(page)
  await page.goto("/dashboard/emails")
  await live
  await isLoaded(page)
  await context.clearCookies()
  await pressInARow(page, "g", "s")
  await page.getByLabel("Password").waitFor()
  await page.getByLabel("Email").fill(credentials.dashboard.email)
  await page.getByLabel("Password").fill(credentials.dashboard.password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("heading", { name: "Suppressions" }).waitFor()
})

it("keeps unsaved work when the session ends, and goes on once somebody has signed in again", async () => {
  const { page, context } = await signIn()
  const reply = await page.request.post("/dashboard/api/teams", { data: { name: "Session" } })
  const { id } = await reply.json()
  await page.addInitScript(`localStorage.setItem("team", "${id}")`)
  const name = page.getByLabel("Team name")
  const save = page.getByRole("button", { name: "Save settings" })
  await page.goto("/dashboard/settings")
  await name.fill("Half written")
  const cookies = await context.cookies()
  await context.clearCookies()
  await save.click()
  await page.getByText("Your session has ended. Your changes are still here.").waitFor()
  const opened = context.waitForEvent("page")
  await page.getByRole("link", { name: "Sign in from a new tab" }).click()
  await (await opened).getByLabel("Password").waitFor()
  expect(await name.inputValue()).toBe("Half written")

  await context.addCookies(cookies)
  await page.evaluate("dispatchEvent(new Event('focus'))")
  await page.getByText("Your session has ended.").waitFor({ state: "detached" })
  await save.click()
  await page.getByText("Settings saved").waitFor()
})
