import type { Page } from "playwright-core"
import { expect } from "vitest"

/** For the browser: asks the files that it keeps of replies. */
const inFiles = (ask: string) => `new Promise((resolve) => {
  const opening = indexedDB.open("replies")
  opening.onupgradeneeded = () => opening.result.createObjectStore("files")
  opening.onsuccess = () => {
    const store = opening.result.transaction("files", "readwrite").objectStore("files")
    const request = ${ask}
    request.onsuccess = () => {
      opening.result.close()
      resolve(request.result)
    }
  }
})`

/** The draft of a reply with a file, as the browser keeps it. */
export async function keepReply(page: Page) {
  await page.evaluate(`localStorage.setItem("replies team_1", '{"thr_1":{"html":"Dear Ada"}}')`)
  await page.evaluate(inFiles('store.put([new File(["a"], "a.txt")], "team_1 thr_1")'))
}

export async function hasNoReply(page: Page) {
  expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain("Dear Ada")
  expect(await page.evaluate(inFiles("store.count()"))).toBe(0)
}
