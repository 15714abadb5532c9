import { readFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { addTo } from "./people.ts"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

it("removes the selected suppressions, and brings them back by undo", async () => {
  const { page, complaints } = await signIn()
  const start = `several-${Date.now()}`
  const addressOf = (letter: string) => `${start}-${letter}@example.com`
  for (const letter of ["a", "b", "c", "d"]) {
    await api("POST", "/suppressions", { email: addressOf(letter), note: `Note ${letter}` })
  }
  const left = async () => {
    const { data } = await api("GET", `/suppressions?q=${start}`)
    return data.map(({ note }: { note: string }) => note).sort()
  }
  await page.goto(`/dashboard/suppressions?q=${start}`)
  const box = (letter: string) =>
    page.getByRole("checkbox", { name: `Select ${addressOf(letter)}` })
  await box("b").click()
  await box("d").click({ modifiers: ["Shift"] })
  const bar = page.getByRole("toolbar", { name: "Selected rows" })
  await bar.getByText("3 suppressions selected").waitFor()
  expect(await box("a").isChecked()).toBe(false)
  expect(await box("c").isChecked()).toBe(true)

  await bar.getByRole("button", { name: "Remove suppressions" }).click()
  await page.getByText("3 addresses can receive email again.").waitFor()
  await bar.waitFor({ state: "detached" })
  expect(await left()).toEqual(["Note a"])
  await page.getByRole("button", { name: "Undo" }).click()
  await box("c").waitFor()
  expect(await left()).toEqual(["Note a", "Note b", "Note c", "Note d"])
  expect(complaints).toEqual([])
})

it("says which of the selected rows failed, and keeps the others done", async () => {
  const { page } = await signIn()
  const start = `partly-${Date.now()}`
  for (const letter of ["a", "b"]) {
    await api("POST", "/suppressions", { email: `${start}-${letter}@example.com` })
  }
  await page.goto(`/dashboard/suppressions?q=${start}`)
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).click()
  await api("DELETE", `/suppressions/${start}-b@example.com`)
  await page.getByRole("button", { name: "Remove suppressions" }).click()
  await page.getByText(/^1 of 2 failed\./).waitFor()
  await page.getByText("1 address can receive email again.").waitFor()
})

it("unsubscribes and removes the selected contacts of a book", async () => {
  const { page, complaints } = await signIn()
  const book = await api("POST", "/contact-books", { name: `Several ${Date.now()}` })
  const contactsOf = `/contact-books/${book.id}/contacts`
  for (const name of ["ada", "grace"]) {
    await api("POST", contactsOf, { email: `${name}@several.test` })
  }
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).click()
  await page.getByRole("button", { name: "Unsubscribe" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: "Unsubscribe" }).click()
  await page.getByText("2 contacts unsubscribed").waitFor()
  const { data } = await api("GET", contactsOf)
  expect(data.map(({ subscribed }: { subscribed: boolean }) => subscribed)).toEqual([false, false])

  await page.getByRole("button", { name: "Remove" }).click()
  await dialog.getByLabel("Type 2 contacts to confirm").fill("2 contacts")
  await dialog.getByRole("button", { name: "Remove contacts" }).click()
  await page.getByText("No contacts yet").waitFor()
  expect((await api("GET", contactsOf)).data).toEqual([])
  expect(complaints).toEqual([])
})

it("cancels the selected emails that wait", async () => {
  const { page, complaints } = await signIn()
  const subject = `Several ${Date.now()}`
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const send = (more: object) =>
    api("POST", "/emails", {
      from: "Hello <hello@demo.test>",
      to: "success@simulator.amazonses.com",
      subject,
      text: "Hi",
      ...more,
    })
  const waiting = [await send({ scheduledAt }), await send({ scheduledAt })]
  const sent = await send({})
  const statusOf = async ({ id }: { id: string }) => (await api("GET", `/emails/${id}`)).status
  await expect.poll(() => statusOf(sent), { timeout: 20_000 }).toBe("delivered")

  await page.goto(`/dashboard/emails?q=${encodeURIComponent(subject)}`)
  await page.getByRole("row").filter({ hasText: subject }).nth(2).waitFor()
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).click()
  await page.getByRole("button", { name: "Cancel emails" }).click()
  const dialog = page.getByRole("dialog", { name: "Cancel 2 emails?" })
  await dialog.getByText("1 other selected email can no longer be cancelled.").waitFor()
  await dialog.getByRole("button", { name: "Cancel emails" }).click()
  await page.getByText("2 emails cancelled").waitFor()
  expect(await Promise.all(waiting.map(statusOf))).toEqual(["cancelled", "cancelled"])
  expect(await statusOf(sent)).toBe("delivered")
  expect(complaints).toEqual([])
})

it("sends the selected emails again, exports them, and suppresses their recipients", async () => {
  const { page, complaints } = await signIn()
  const mark = `m${Date.now()}`
  const addressOf = (part: string) => `bounce+${part}.${mark}@simulator.amazonses.com`
  for (const part of ["ada", "grace"]) {
    await api("POST", "/emails", {
      from: "Hello <hello@demo.test>",
      to: addressOf(part),
      subject: "Several again",
      text: "Hi",
    })
  }
  const listOf = async (query: string) => (await api("GET", `/emails?${query}`)).data
  await expect
    .poll(async () => (await listOf(`q=${mark}&status=bounced`)).length, { timeout: 20_000 })
    .toBe(2)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/dashboard/emails?q=${mark}`)
  const box = page.getByRole("checkbox", { name: `Select Several again to ${addressOf("ada")}` })
  await box.focus()
  await page.keyboard.press("Space")
  const bar = page.getByRole("toolbar", { name: "Selected rows" })
  await bar.getByText("1 email selected").waitFor()
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).click()

  const downloading = page.waitForEvent("download")
  await bar.getByRole("button", { name: "Export as CSV" }).click()
  const [head, ...lines] = (await readFile(await (await downloading).path(), "utf8"))
    .trimEnd()
    .split("\n")
  expect(head).toMatch(/bounce_class,bounce_reason,diagnostic$/)
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(line).toMatch(/,hard,/)

  const dialog = page.getByRole("dialog")
  await bar.getByRole("button", { name: "Suppress recipients" }).click()
  await dialog.getByText("Suppress 2 recipients?").waitFor()
  await dialog.getByRole("button", { name: "Suppress recipients" }).click()
  await page.getByText("2 recipients suppressed").waitFor()

  await bar.getByRole("button", { name: "Send again" }).click()
  await dialog.getByText("Send 2 emails again?").waitFor()
  await dialog.getByRole("button", { name: "Send again" }).click()
  await page.getByText("2 emails sent again").waitFor()
  expect(await listOf(`q=${mark}&status=cancelled`)).toHaveLength(2)
  expect(complaints).toEqual([])
})

it("offers a member nothing for several rows that a member may not do", async () => {
  const owner = await signIn()
  const { page } = await signIn({}, await addTo(owner.context.request, undefined, "member"))
  const book = await api("POST", "/contact-books", { name: `Read only ${Date.now()}` })
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByText("Owners and admins can add and import contacts.").waitFor()
  await api("POST", `/contact-books/${book.id}/contacts`, { email: "ada@read-only.test" })
  await page.reload()
  await page.getByText("ada@read-only.test").waitFor()
  expect(await page.getByRole("checkbox").count()).toBe(0)

  const subject = `Selected by a member ${Date.now()}`
  const from = "hello@demo.test"
  await api("POST", "/emails", { from, to: "ada@example.com", subject, text: "Hi" })
  await page.goto("/dashboard/emails")
  await page.getByRole("checkbox", { name: `Select ${subject}` }).click()
  const bar = page.getByRole("toolbar", { name: "Selected rows" })
  await bar.getByRole("button", { name: "Send again" }).waitFor()
  expect(await bar.getByRole("button", { name: "Suppress recipients" }).count()).toBe(0)
})
