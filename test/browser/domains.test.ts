import { expect, it } from "vitest"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

it("adds a domain, shows its records to copy, verifies and deletes it", async () => {
  const { page, complaints } = await signIn()
  const name = `mail-${Date.now()}.example.com`
  await page.goto("/dashboard/domains?new=true")
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Domain").fill("no domain")
  await dialog.getByRole("button", { name: "Add domain" }).click()
  await dialog.getByRole("alert").waitFor()
  await dialog.getByLabel("Domain").fill(name)
  await dialog.getByRole("button", { name: "Add domain" }).click()

  await page.getByRole("heading", { name }).waitFor()
  await page.getByText("Step 2 of 3").waitFor()
  const { data } = await api("GET", "/domains")
  const { id, records } = data.find((one: { name: string }) => one.name === name)
  for (const record of records) await page.getByText(record.value).first().waitFor()
  await page.getByRole("button", { name: "Copy all records" }).click()
  const copied = (await page.evaluate("navigator.clipboard.readText()")) as string
  expect(copied.split("\n")).toHaveLength(records.length)
  const downloading = page.waitForEvent("download")
  await page.getByRole("button", { name: "Zone file" }).click()
  expect((await downloading).suggestedFilename()).toBe(`${name}.zone`)
  await page.getByRole("button", { name: "Check again" }).click()
  await page.getByText("You can send from this domain").waitFor()
  expect((await api("GET", `/domains/${id}`)).status).toBe("verified")

  await page.getByRole("button", { name: "More", exact: true }).click()
  await page.getByRole("menuitem", { name: "Delete domain" }).click()
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await dialog.getByRole("button", { name: "Delete domain" }).click()
  await page.getByRole("heading", { name: "Domains" }).waitFor()
  await page.getByText(name).waitFor({ state: "detached" })
  expect(complaints).toEqual([])
})
