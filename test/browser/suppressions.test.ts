import { expect, it } from "vitest"
import { api, openBrowser } from "./person.ts"

const { signIn } = openBrowser()

it("removes an address at once, says what follows, and takes it back by undo", async () => {
  const { page, complaints } = await signIn()
  const email = `undo-${Date.now()}@example.com`
  const { createdAt } = await api("POST", "/suppressions", { email, note: "By phone" })
  const entry = async () => (await api("GET", `/suppressions?q=${email}`)).data[0]
  await page.goto(`/dashboard/suppressions?q=${email}`)
  const row = page.getByRole("row").filter({ hasText: "By phone" })
  await row.getByRole("button", { name: `Remove ${email}` }).click()
  await page.getByText(`${email} is no longer suppressed.`).waitFor()
  await row.waitFor({ state: "detached" })
  expect(await entry()).toBeUndefined()
  await page.getByRole("button", { name: "Undo" }).click()
  await row.waitFor()
  expect(await entry()).toMatchObject({ note: "By phone", createdAt })
  expect(complaints).toEqual([])
})
