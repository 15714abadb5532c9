import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { beforeAll, expect, it } from "vitest"
import { act, choose } from "./choose.ts"
import { faultsOf } from "./faults.ts"
import { api, baseUrl, launchBrowser } from "./person.ts"

const { visit, signIn } = launchBrowser()
const SOON = { timeout: 20_000 }

const mark = `f${Date.now()}`
const bookName = `Readers ${mark}`
let bookId = ""

beforeAll(async () => {
  const book = await api("POST", "/contact-books", {
    name: bookName,
    defaultFrom: "News <news@demo.test>",
  })
  bookId = book.id
})

async function confirmationLink(email: string): Promise<string> {
  const found = async () =>
    (await api("GET", `/emails?to=${encodeURIComponent(email)}`)).data[0]?.id as string | undefined
  await expect.poll(found, SOON).toBeTruthy()
  const { data } = await api("GET", `/sandbox/messages?emailId=${await found()}&wait=10`)
  expect(data[0].subject).toBe("Almost there")
  return /https?:[^\s"<>]+\/confirm\/[^\s"<>]+/.exec(data[0].text)?.[0] ?? ""
}

it("leads from no form to a contact who has confirmed", async () => {
  const { page, complaints } = await signIn()
  await page.goto("/dashboard/forms?new=true")
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: "Create form" }).click()
  await dialog.getByText("Enter a name").waitFor()
  await dialog.getByLabel("Name").fill(`Newsletter ${mark}`)
  await choose(
    dialog.getByRole("combobox", { name: "Contact book" }),
    `${bookName} (0 subscribers)`,
  )
  expect(await faultsOf(page)).toEqual([])
  await dialog.getByRole("button", { name: "Create form" }).click()
  await page.waitForURL(/forms\/frm_/)
  const id = page.url().split("/").at(-1) ?? ""

  await page.getByRole("button", { name: "Add field" }).click()
  await page.getByLabel("Label").last().fill("Home town")
  await page.getByLabel("Label").last().blur()
  await expect.poll(() => page.getByLabel("Saved as").last().inputValue()).toBe("homeTown")
  await page.frameLocator("iframe").getByText("Home town").waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole("tab", { name: "Confirmation email" }).click()
  await page.getByLabel("Use your own email").click()
  await page.getByLabel("Subject").fill("Almost there")
  await page.getByRole("list", { name: "Blocks" }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole("tab", { name: "Embed" }).click()
  await page.getByRole("button", { name: "Copy embed code" }).click()
  const embedded = (await page.evaluate("navigator.clipboard.readText()")) as string
  expect(embedded).toContain(`action="${baseUrl}/f/${id}"`)
  expect(embedded).toContain('name="homeTown"')
  await page.getByRole("tab").first().click()
  await page.getByText("More settings").click()
  await page.getByLabel(/^Sites allowed/).fill("https://example.com")
  await page.keyboard.press("Control+Enter")
  await page.getByText("Form saved").waitFor()
  expect((await api("GET", `/forms/${id}`)).origins).toEqual(["https://example.com"])

  const reader = await visit()
  await reader.page.goto(`/f/${id}`)
  const email = `reader-${mark}@example.com`
  await reader.page.getByLabel("Email address").fill(email)
  await reader.page.getByLabel("Home town").fill("London")
  await reader.page.getByRole("button", { name: "Subscribe" }).click()
  await reader.page.getByText("Check your inbox").waitFor()
  await reader.page.goto(await confirmationLink(email))
  await reader.page.getByRole("button").click()
  const contacts = async () => (await api("GET", `/contact-books/${bookId}/contacts`)).data
  await expect.poll(async () => (await contacts())[0]?.confirmation, SOON).toBe("confirmed")
  expect(await contacts()).toMatchObject([{ email, properties: { homeTown: "London" } }])

  await page.goto("/dashboard/forms")
  const row = page.getByRole("row").filter({ hasText: mark })
  await row.getByText("100%").waitFor()
  expect([...complaints, ...reader.complaints]).toEqual([])
}, 90_000)

it("leads to the page of the team, also where that redirects to another host", async () => {
  const site = createServer(({ headers }, response) => {
    const { port } = site.address() as AddressInfo
    if (headers.host === `127.0.0.1:${port}`) response.end("Thank you")
    else response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end()
  }).listen(0)
  try {
    await once(site, "listening")
    const doneUrl = `http://localhost:${(site.address() as AddressInfo).port}/thanks`
    const { id } = await api("POST", "/forms", { bookId, name: mark, wording: "Yes.", doneUrl })
    const { page } = await visit()
    await page.goto(`/f/${id}`)
    await page.getByLabel("Email address").fill(`led-${mark}@example.com`)
    await page.getByRole("button", { name: "Subscribe" }).click()
    await page.getByText("Thank you").waitFor()
  } finally {
    site.closeAllConnections()
    site.close()
  }
})

it("says what a field lacks, pauses a form and deletes it, on a phone in the dark", async () => {
  const { page, complaints } = await signIn({ width: 390, theme: "dark" })
  const name = `Paused ${mark}`
  const { id } = await api("POST", "/forms", { bookId, name, wording: "Yes." })
  await page.goto(`/dashboard/forms/${id}`)
  await page.getByRole("button", { name: "Add field" }).click()
  await page.getByLabel("Label").last().fill("Color")
  await choose(page.getByRole("combobox", { name: "Type" }), "Select")
  await page.getByRole("button", { name: "Save changes" }).click()
  await page.getByText("Choose at least one").waitFor()
  await page.getByLabel("Options").fill("Red\nGreen")
  await page.getByLabel("Options").blur()
  await act(page, "Color", "Move up")
  await page.getByRole("button", { name: "Save changes" }).click()
  await page.getByText("Form saved").waitFor()
  expect((await api("GET", `/forms/${id}`)).fields).toMatchObject([
    { name: "color", type: "select", options: ["Red", "Green"] },
    { name: "email" },
  ])
  await page.getByRole("button", { name: "Pause" }).click()
  await page.getByRole("button", { name: "Resume" }).waitFor()
  expect((await fetch(`${baseUrl}/f/${id}`)).status).toBe(404)
  expect(await faultsOf(page)).toEqual([])
  const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
  expect(await page.evaluate(isWider)).toBe(false)
  await page.getByRole("button", { name: "More", exact: true }).first().click()
  await page.getByRole("menuitem", { name: "Delete form" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await dialog.getByRole("button", { name: "Delete form" }).click()
  await page.getByRole("heading", { name: "Forms" }).waitFor()
  expect(complaints).toEqual([])
})
