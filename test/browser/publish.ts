import type { Page } from "playwright-core"

export const isSaved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor()

/** Publishes what the editor shows, through the dialog that checks it. */
export async function publish(page: Page, version: number) {
  const name = version === 1 ? "Publish" : `Publish version ${version}`
  await page.getByRole("button", { name, exact: true }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("list", { name: "Checks" }).waitFor()
  const sends = dialog.getByLabel("My code already sends")
  if (await sends.count()) await sends.check()
  await dialog.getByRole("button", { name, exact: true }).click()
  await page.getByText(`Version ${version} published`).first().waitFor()
  await dialog.waitFor({ state: "detached" })
}
