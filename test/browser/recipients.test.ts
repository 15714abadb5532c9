import { expect, it } from "vitest"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

it("erases a person: mail, contacts and consent are gone, and no mail goes there again", async () => {
  const { page, complaints } = await signIn()
  const email = `bea.${Date.now()}@example.com`
  const mail = { from: "hello@demo.test", to: email, subject: "About Bea", text: "Hi Bea" }
  const { id } = await api("POST", "/emails", mail)
  const book = await api("POST", "/contact-books", { name: `Book of Bea ${Date.now()}` })
  await api("POST", `/contact-books/${book.id}/contacts`, { email, firstName: "Bea" })
  await expect
    .poll(async () => (await api("GET", `/emails/${id}`)).status, { timeout: 20_000 })
    .toBe("delivered")

  await page.goto(`/dashboard/recipients/${encodeURIComponent(email)}`)
  await page.getByText(book.name).waitFor()
  await page.getByText("About Bea").waitFor()
  await page.getByRole("button", { name: "More" }).click()
  await page.getByRole("menuitem", { name: "Erase address" }).click()
  const dialog = page.getByRole("dialog")
  const confirm = dialog.getByRole("button", { name: "Erase address" })
  expect(await confirm.getAttribute("aria-disabled")).toBe("true")
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email)
  await confirm.click()
  await page.getByText("Erased from 1 email and 1 contact").waitFor()

  expect((await api("GET", `/emails/${id}`)).to).not.toContain(email)
  expect((await api("GET", `/contact-books/${book.id}`)).contactCount).toBe(0)
  await expect(api("POST", "/emails", mail)).rejects.toThrow("suppressed_recipient")
  await page.goto(`/dashboard/recipients/${encodeURIComponent(email)}`)
  await page.getByText("Suppressed", { exact: true }).waitFor()
  await page.getByText("This address is not in any contact book.").waitFor()
  expect(complaints).toEqual([])
})
