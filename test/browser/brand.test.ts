import { afterAll, beforeAll, expect, it } from "vitest"
import { faultsOf } from "./faults.ts"
import { api, credentials, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const SOON = { timeout: 15_000 }
const HALF_GREY = "#aaaaaa"

beforeAll(() => api("POST", "/contact-books", { name: `Brand ${Date.now()}` }))

/** The other tests' campaigns begin without a brand. */
afterAll(async () => {
  const { context } = await signIn()
  await context.request.patch("/dashboard/api/team", {
    data: { brand: null },
    headers: { "x-team-id": credentials.teamId },
  })
})

it("keeps a brand with an uploaded logo, and warns of text that is hard to read", async () => {
  const { page, complaints } = await signIn()
  await page.goto("/dashboard/settings?tab=Brand")
  await page.getByRole("button", { name: "Set up brand" }).click()
  const url = String(await page.evaluate("document.createElement('canvas').toDataURL()"))
  const logo = Buffer.from(url.slice(url.indexOf(",") + 1), "base64")
  const file = { name: "logo.png", mimeType: "image/png", buffer: logo }
  await page.getByLabel("Upload a logo").setInputFiles(file)
  await page.getByRole("img", { name: "Your logo" }).waitFor()
  await page.getByLabel("Text", { exact: true }).fill(HALF_GREY)
  await page.getByText("Text on the card: contrast 2.3").waitFor()
  await page.getByLabel("Text", { exact: true }).fill("#113322")
  await page.getByText("Text on the card").waitFor({ state: "detached" })
  await page.getByLabel(/^Footer text/).fill("You get this as a customer & friend.")
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole("button", { name: "Save brand" }).click()
  await page.getByText("Brand saved").waitFor()
  const edit = page.getByRole("button", { name: "Edit brand" })
  await expect
    .poll(() => edit.evaluate("document.activeElement?.textContent"), SOON)
    .toBe("Edit brand")
  await page.reload()
  await edit.waitFor()
  await page.getByText("#113322").waitFor()
  expect(await faultsOf(page)).toEqual([])
  await edit.click()
  await expect
    .poll(() => page.getByLabel("Text", { exact: true }).inputValue(), SOON)
    .toBe("#113322")
  expect(complaints).toEqual([])
})

it("begins a campaign and a layout with the brand", async () => {
  const { page } = await signIn()
  await page.goto("/dashboard/campaigns/new")
  await page.getByLabel("Name").fill("Branded")
  await page.getByLabel("Subject").fill("News")
  await page.getByRole("button", { name: "Create draft" }).click()
  await page.waitForURL(/cmp_/)
  const campaign = await api("GET", `/campaigns/${page.url().split("/").at(-1)}`)
  expect(campaign.theme).toEqual({ textColor: "#113322" })
  expect(campaign.blocks.map(({ kind }: { kind: string }) => kind)).toEqual([
    ...["image", "heading", "text", "text"],
  ])
  expect(campaign.blocks.at(-1).html).toBe("You get this as a customer &amp; friend.")
  await page.goto("/dashboard/layouts?new=true")
  await page.getByRole("dialog").getByLabel("Name").fill("Branded")
  await page.getByRole("button", { name: "Create layout" }).click()
  await page.waitForURL(/lay_/)
  await expect
    .poll(() => page.getByLabel("Text", { exact: true }).first().inputValue(), SOON)
    .toBe("#113322")
  await page.locator("[data-drawn=image] img").waitFor()
})

it("puts a message into the brand once, and undoes that in one step", async () => {
  const { page } = await signIn()
  const { data: books } = await api("GET", "/contact-books")
  const { data: domains } = await api("GET", "/domains")
  const { id } = await api("POST", "/campaigns", {
    name: "Plain",
    bookId: books[0].id,
    domainId: domains.find(({ name }: { name: string }) => name === "demo.test").id,
    from: "news@demo.test",
    subject: "Hello",
    blocks: [{ kind: "heading", level: 1, text: "News" }],
  })
  const read = async () => {
    const { blocks, theme } = await api("GET", `/campaigns/${id}`)
    return [theme, ...blocks.map(({ kind }: { kind: string }) => kind)]
  }
  await page.goto(`/dashboard/campaigns/${id}`)
  await page.getByText("Theme", { exact: true }).click()
  const use = page.getByRole("button", { name: "Use brand" })
  await use.click()
  const inBrand = [{ textColor: "#113322" }, "image", "heading", "text"]
  await expect.poll(read, SOON).toEqual(inBrand)
  await use.click()
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await expect.poll(read, SOON).toEqual([null, "heading"])
})
