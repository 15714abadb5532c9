import type { Page } from "playwright-core"

const MAX_TABS = 150

/** What a screen reader says of the element that has the focus. */
const FOCUSED = `(() => {
  const { activeElement: element } = document
  if (!element || element === document.body) return ""
  const ids = element.getAttribute("aria-labelledby")?.split(" ") ?? []
  const named = ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" ")
  const label = element.labels?.[0]?.textContent
  return (element.getAttribute("aria-label") || named || label || element.textContent || "").trim()
})()`

export const focused = (page: Page) => page.evaluate(FOCUSED) as Promise<string>

/** Presses keys without a wait between them: on a slow machine the second would come too late. */
export const pressInARow = (page: Page, ...keys: string[]) =>
  Promise.all(keys.map((key) => page.keyboard.press(key)))

/** Presses Tab until the focus is on what has this name. */
export async function tabTo(page: Page, name: string | RegExp) {
  const seen: string[] = []
  for (let i = 0; i < MAX_TABS; i++) {
    const reached = await focused(page)
    if (typeof name === "string" ? reached === name : name.test(reached)) return
    seen.push(reached)
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab does not reach ${name}. It reaches: ${[...new Set(seen)].join(" | ")}`)
}
