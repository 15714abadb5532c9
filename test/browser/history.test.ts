import { expect, it } from "vitest"
import { openBrowser } from "./person.ts"

const { signIn } = openBrowser()

const SOON = { timeout: 5_000 }

it("takes a filter back with the back button", async () => {
  const { page } = await signIn()
  await page.goto("/dashboard")
  await page.getByRole("link", { name: "Emails", exact: true }).click()
  const status = page.getByLabel("Status")
  await status.selectOption("bounced")
  await status.selectOption("scheduled")
  await expect.poll(() => page.url(), SOON).toContain("scheduled")
  await page.goBack()
  await expect.poll(() => status.inputValue(), SOON).toBe("bounced")
  await page.goBack()
  await expect.poll(() => status.inputValue(), SOON).toBe("")
  await page.goBack()
  await page.getByRole("heading", { name: "Overview" }).waitFor()
})

it("closes a dialog with the back button, and leaves no step behind when it is closed otherwise", async () => {
  const { page } = await signIn()
  const asked: string[] = []
  page.on("dialog", (dialog) => {
    asked.push(dialog.message())
    dialog.accept()
  })
  await page.goto("/dashboard/suppressions")
  await page.getByRole("link", { name: "Emails", exact: true }).click()
  const opener = page.getByRole("button", { name: "Send a test email" })
  const dialog = page.getByRole("dialog")
  await opener.click()
  await dialog.waitFor()
  await page.goBack()
  await dialog.waitFor({ state: "detached" })
  await page.getByRole("heading", { name: "Emails" }).waitFor()

  await opener.click()
  await dialog.getByLabel("Subject").fill("Half written")
  await page.keyboard.press("Escape")
  await dialog.waitFor({ state: "detached" })
  expect(asked).toHaveLength(1)
  await page.goBack()
  await page.getByRole("heading", { name: "Suppressions" }).waitFor()
})
