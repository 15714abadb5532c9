import AxeBuilder from "@axe-core/playwright"
import { expect, it } from "vitest"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

it("takes codes out of a message, also out of its subject", async () => {
  const { page, complaints } = await signIn()
  const { id } = await api("POST", "/emails", {
    from: "hello@demo.test",
    to: "ada@example.com",
    subject: "482913 is your code",
    html: '<p>Or <a href="https://example.com/in?token=abcdef">sign in</a>.</p>',
  })
  await page.goto(`/dashboard/inbox/${id}`)
  await page.getByRole("button", { name: "Copy 482913" }).click()
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe("482913")
  await page.getByText("abcdef", { exact: true }).waitFor()
  expect(complaints).toEqual([])
})

it("searches by subject and address, and keeps the search while messages are opened", async () => {
  const { page, complaints } = await signIn()
  const mark = `m${Date.now()}`
  const from = "hello@demo.test"
  for (const subject of ["One", "Two"]) {
    const to = `${subject.toLowerCase()}-${mark}@example.com`
    const message = { from, to, subject: `${subject} ${mark}`, text: "Hi" }
    const { id } = await api("POST", "/emails", message)
    await api("GET", `/sandbox/messages?emailId=${id}&wait=10`)
  }
  await page.goto("/dashboard/inbox")
  const search = page.getByLabel("Search messages")
  const messages = page.getByRole("navigation", { name: "Messages" }).getByRole("link")
  await search.fill(`${mark} tw`)
  await search.press("Enter")
  await expect.poll(() => messages.count()).toBe(1)
  await search.fill(`one-${mark}`)
  await search.press("Enter")
  await messages.filter({ hasText: `One ${mark}` }).click()
  await page.waitForURL(/inbox\/em_.*q=one-/)
  await page.setViewportSize({ width: 390, height: 900 })
  await page.getByRole("link", { name: "All messages" }).click()
  await page.waitForURL(/inbox\?q=one-/)
  await expect.poll(() => search.inputValue()).toBe(`one-${mark}`)
  await search.fill(`nobody ${mark}`)
  await search.press("Enter")
  await page.getByText(/^No matches( so far)?$/).waitFor()
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations).toEqual([])
  expect(complaints).toEqual([])
})
