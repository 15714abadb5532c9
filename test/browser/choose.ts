import type { Locator, Page } from "playwright-core"

/** Opens a select and chooses the option with this label. */
export async function choose(select: Locator, option: string) {
  await select.click()
  await listOf(select.page(), option).click()
}

const listOf = (page: Page, option: string) =>
  page.getByRole("listbox").getByRole("option", { name: option, exact: true })

/** Opens a calendar and chooses a day that its month shows: "2026-11-23". */
export async function chooseDay(input: Locator, day: string) {
  await input.click()
  const page = input.page()
  const shown = page.locator("[data-day]")
  await shown.first().waitFor()
  const days = await shown.evaluateAll((cells) =>
    cells.map((cell) => cell.getAttribute("data-day")),
  )
  if (day < (days.at(0) ?? "")) await page.getByRole("button", { name: "Previous month" }).click()
  if (day > (days.at(-1) ?? "")) await page.getByRole("button", { name: "Next month" }).click()
  await page.locator(`[data-day="${day}"]`).click()
}

/** Opens the menu of what has this name, and takes an action. */
export async function act(page: Page, name: string | RegExp, action: string) {
  const label = typeof name === "string" ? `Actions for ${name}` : name
  await page.getByRole("button", { name: label }).click()
  await page.getByRole("menuitem", { name: action }).click()
}
