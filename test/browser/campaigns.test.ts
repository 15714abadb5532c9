import { expect, it } from "vitest"
import { tabTo } from "./keyboard.ts"
import { api, openBrowser } from "./person.ts"

const { signIn } = openBrowser()

async function makeBook() {
  const book = await api("POST", "/contact-books", { name: `News ${Date.now()}` })
  for (const firstName of ["Ada", "Grace", "Edsger"]) {
    await api("POST", `/contact-books/${book.id}/contacts`, {
      email: `success+${firstName.toLowerCase()}@simulator.amazonses.com`,
      firstName,
    })
  }
  return book
}

it("is written, checked and sent by keyboard alone, up to its results", async () => {
  const { page, complaints } = await signIn()
  const { keyboard } = page
  const book = await makeBook()
  await page.goto("/dashboard/campaigns/new")
  await page.getByLabel("Subject").waitFor()
  await tabTo(page, /^Name/)
  await keyboard.type("Spring")
  await tabTo(page, /^Contact book/)
  await keyboard.type(book.name)
  await tabTo(page, /^Subject/)
  await keyboard.type("Hello from us")
  await keyboard.press("Control+Enter")

  await page.getByRole("button", { name: "Review and send" }).waitFor()
  await tabTo(page, "Button")
  await keyboard.press("Enter")
  await page.getByLabel("Leads to").waitFor()
  await tabTo(page, /^Label/)
  await keyboard.type("Read more")
  await tabTo(page, /^Leads to/)
  await keyboard.type("https://example.com/spring")
  await page.frameLocator("iframe").getByRole("link", { name: "Read more" }).waitFor()
  await page.getByText("Saved", { exact: true }).waitFor()

  await tabTo(page, /^Button\s*Read more/)
  await keyboard.press("Alt+ArrowUp")
  const kinds = page.getByRole("list", { name: "Blocks" }).locator("[aria-keyshortcuts]")
  await expect.poll(() => kinds.allInnerTexts()).toMatchObject([/^Heading/, /^Button/, /^Text/])

  await tabTo(page, "Review and send")
  await keyboard.press("Enter")
  await page.getByRole("list", { name: "Checks" }).waitFor()
  await tabTo(page, "Send campaign now")
  await keyboard.press("Enter")
  await page.getByLabel("Type Spring to confirm").waitFor()
  await tabTo(page, "Type Spring to confirm")
  await keyboard.type("Spring")
  await keyboard.press("Enter")

  await page.getByText("Campaign is being sent").waitFor()
  const number = (name: string) =>
    page.locator("dl > div").filter({ hasText: name }).locator("dd").innerText()
  await expect.poll(() => number("Delivered"), { timeout: 40_000 }).toMatch(/^3/)
  const rows = page.getByRole("table", { name: "Recipients" }).getByRole("row")
  await rows.filter({ hasText: "success+ada@" }).getByText("Delivered").waitFor()
  const { data } = await api("GET", "/campaigns")
  const { id } = data.find(({ bookId }: { bookId: string }) => bookId === book.id)
  const status = async () => (await api("GET", `/campaigns/${id}`)).status
  await expect.poll(status, { timeout: 20_000 }).toBe("sent")
  expect(complaints).toEqual([])
})
