import { readFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { act } from "./choose.ts"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

it("removes an address at once, says what follows, and takes it back by undo", async () => {
  const { page, complaints } = await signIn()
  const email = `undo-${Date.now()}@example.com`
  const { createdAt } = await api("POST", "/suppressions", { email, note: "By phone" })
  const entry = async () => (await api("GET", `/suppressions?q=${email}`)).data[0]
  await page.goto(`/dashboard/suppressions?q=${email}`)
  const row = page.getByRole("row").filter({ hasText: "By phone" })
  await act(page, email, "Remove suppression")
  await page.getByText(`${email} is no longer suppressed.`).waitFor()
  await row.waitFor({ state: "detached" })
  expect(await entry()).toBeUndefined()
  await page.getByRole("button", { name: "Undo" }).click()
  await row.waitFor()
  expect(await entry()).toMatchObject({ note: "By phone", createdAt })

  await act(page, email, "Remove suppression")
  await row.waitFor({ state: "detached" })
  await page.keyboard.press("z")
  await row.waitFor()
  expect(complaints).toEqual([])
})

it("exports the suppressions and the audit log as CSV", async () => {
  const { page, complaints } = await signIn()
  const start = `csv-${Date.now()}`
  const emails = [`${start}-a@example.com`, `${start}-b@example.com`]
  for (const email of emails) await api("POST", "/suppressions", { email, note: "=2+2" })
  const exported = async (path: string) => {
    await page.goto(path)
    await page.getByRole("button", { name: "Export as CSV" }).click()
    const downloading = page.waitForEvent("download")
    await page.getByRole("dialog").getByRole("button", { name: "Export as CSV" }).click()
    const text = await readFile(await (await downloading).path(), "utf8")
    return text.trimEnd().split("\n")
  }
  const [head, ...lines] = await exported(`/dashboard/suppressions?q=${start}`)
  expect(head).toBe("email,reason,note,source_email_id,created_at")
  expect(lines.map((line) => line.split(",").slice(0, 3))).toEqual(
    emails.map((email) => [email, "manual", "'=2+2"]),
  )
  const [audited, first] = await exported("/dashboard/audit-log?objectType=suppressions")
  expect(audited).toMatch(/^id,at,actor,/)
  expect(first).toContain("suppressions.")
  expect(complaints).toEqual([])
})

it("gives the focus to the next row when the row with the focus is removed", async () => {
  const { page } = await signIn()
  const start = `rows-${Date.now()}`
  for (const name of ["a", "b", "c"]) {
    await api("POST", "/suppressions", { email: `${start}-${name}@example.com` })
  }
  await page.goto(`/dashboard/suppressions?q=${start}`)
  await act(page, `${start}-b@example.com`, "Remove suppression")
  const focused = () => page.evaluate("document.activeElement?.textContent")
  await expect.poll(focused).toBe(`${start}-c@example.com`)
})

it("keeps the message with undo while somebody points at it", async () => {
  const { page } = await signIn()
  const email = `slowly-${Date.now()}@example.com`
  await api("POST", "/suppressions", { email })
  await page.clock.install()
  await page.goto(`/dashboard/suppressions?q=${email}`)
  await act(page, email, "Remove suppression")
  const undo = page.getByRole("button", { name: "Undo" })
  await undo.hover()
  await page.clock.fastForward(30_000)
  expect(await undo.count()).toBe(1)
  await page.mouse.move(300, 300)
  await page.clock.fastForward(30_000)
  await undo.waitFor({ state: "detached" })
})
