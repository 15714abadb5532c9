import type { Locator, Page } from "playwright-core"

/** Opens a select and chooses the option with this label. */
export async function choose(select: Locator, option: string) {
  await select.click()
  await listOf(select.page(), option).click()
}

const listOf = (page: Page, option: string) =>
  page.getByRole("listbox").getByRole("option", { name: option, exact: true })
