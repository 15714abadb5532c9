import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { readImageSize } from "../../src/lib/image-size.ts"
import { faultsOf } from "./faults.ts"
import { focused } from "./keyboard.ts"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const SOON = { timeout: 15_000 }

async function openCampaign(page: Page, blocks: unknown[]): Promise<string> {
  const book = await api("POST", "/contact-books", { name: `Images ${Date.now()}` })
  const { data: domains } = await api("GET", "/domains")
  const { id } = await api("POST", "/campaigns", {
    name: "Images",
    bookId: book.id,
    domainId: domains.find(({ name }: { name: string }) => name === "demo.test").id,
    from: "news@demo.test",
    subject: "Hello",
    blocks,
  })
  await page.goto(`/dashboard/campaigns/${id}`)
  await page.getByRole("list", { name: "Blocks" }).waitFor()
  return id
}

const imagesOf = async (id: string) =>
  (await api("GET", `/campaigns/${id}`)).blocks.filter(
    ({ kind }: { kind: string }) => kind === "image",
  )

/** A PNG that the browser draws, in a color of its own. */
async function drawPng(page: Page, width: number, height: number, color = "teal") {
  const url = (await page.evaluate(`(() => {
    const canvas = document.createElement("canvas")
    canvas.width = ${width}
    canvas.height = ${height}
    const context = canvas.getContext("2d")
    context.fillStyle = "${color}"
    context.fillRect(0, 0, ${width}, ${height})
    return canvas.toDataURL("image/png")
  })()`)) as string
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64")
}

const fileOf = (buffer: Buffer, name = "photo.png", mimeType = "image/png") => ({
  name,
  mimeType,
  buffer,
})

async function addImage(page: Page) {
  await page.getByRole("button", { name: "Add block" }).click()
  await page.getByRole("menuitem", { name: "Image" }).click()
  return page.getByLabel("Upload an image")
}

/** In the preview. An image that was not loaded has none. */
const SHOWN_WIDTH =
  'document.querySelector("iframe")?.contentDocument.querySelector("img")?.naturalWidth'

const HEADING = [{ kind: "heading", level: 1, text: "News" }]

/** Gives files to an element as a drop or a paste does. */
const giveFiles = (page: Page, selector: string, type: "drop" | "paste", file: Buffer) =>
  page.evaluate(
    `(({ selector, type, base64 }) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
    const data = new DataTransfer()
    data.items.add(new File([bytes], "given.png", { type: "image/png" }))
    const init = { bubbles: true, cancelable: true }
    const event = type === "drop"
      ? new DragEvent("drop", { ...init, dataTransfer: data })
      : new ClipboardEvent("paste", { ...init, clipboardData: data })
    document.querySelector(selector).dispatchEvent(event)
  })(${JSON.stringify({ selector, type, base64: file.toString("base64") })})`,
  )

it("uploads a chosen image no wider than it is shown, and asks for its words", async () => {
  const { page, complaints } = await signIn()
  const id = await openCampaign(page, HEADING)
  const input = await addImage(page)
  await input.setInputFiles(fileOf(await drawPng(page, 2_000, 1_000)))
  await expect.poll(() => focused(page), SOON).toBe("Alternative text")
  await page.locator("[data-placeholder^='Describe the image']").waitFor()
  await page.keyboard.type("A green field")
  await expect.poll(async () => (await imagesOf(id))[0]?.alt, SOON).toBe("A green field")
  const [{ url }] = await imagesOf(id)
  const reply = await fetch(url)
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "image/png"])
  const bytes = new Uint8Array(await reply.arrayBuffer())
  expect(readImageSize(bytes)).toEqual({ format: "png", width: 1_200, height: 600 })
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole("button", { name: "Preview", exact: true }).click()
  await expect.poll(() => page.evaluate(SHOWN_WIDTH), SOON).toBe(1_200)
  expect(complaints).toEqual([])
})

it("keeps the image and the message when an upload is refused, and tries again", async () => {
  const { page } = await signIn()
  const id = await openCampaign(page, HEADING)
  await page.route("**/dashboard/api/images", (route) => route.abort(), { times: 1 })
  const input = await addImage(page)
  await input.setInputFiles(fileOf(await drawPng(page, 300, 200, "maroon")))
  const refusal = page.getByRole("alert").filter({ hasText: "Cannot reach the server" })
  await refusal.waitFor()
  await page.getByRole("textbox", { name: "Alternative text" }).fill("Written meanwhile")
  expect(await page.locator("[data-drawn=image] img").getAttribute("src")).toMatch(/^data:/)
  expect(await faultsOf(page)).toEqual([])
  await refusal.getByRole("button", { name: "Try again" }).click()
  await expect
    .poll(() => imagesOf(id), SOON)
    .toMatchObject([{ url: expect.stringContaining("/i/"), alt: "Written meanwhile" }])
  await refusal.waitFor({ state: "detached" })
})

it("gives up an upload that does not move for 30 seconds, or when it is cancelled", async () => {
  const { page } = await signIn()
  await page.clock.install()
  const id = await openCampaign(page, HEADING)
  const asked: string[] = []
  await page.route("**/dashboard/api/images", (route) => void asked.push(route.request().method()))
  const input = await addImage(page)
  await input.setInputFiles(fileOf(await drawPng(page, 300, 200, "navy")))
  await expect.poll(() => asked, SOON).toHaveLength(1)
  await page.clock.fastForward(31_000)
  const refusal = page.getByRole("alert").filter({ hasText: "Cannot reach the server" })
  await refusal.getByRole("button", { name: "Try again" }).click()
  await expect.poll(() => asked, SOON).toHaveLength(2)
  const cancel = page.getByRole("button", { name: "Cancel upload" })
  await cancel.waitFor()
  expect(await faultsOf(page)).toEqual([])
  await cancel.click()
  await page.getByText("Or drop or paste it here").waitFor()
  expect(await refusal.count()).toBe(0)

  await page.unroute("**/dashboard/api/images")
  await page.getByLabel("Upload an image").setInputFiles(fileOf(await drawPng(page, 300, 200)))
  await expect
    .poll(() => imagesOf(id), SOON)
    .toMatchObject([{ url: expect.stringContaining("/i/") }])
})

const GIF = Buffer.from("R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64")

it.each([
  [
    "a file over 5 MB",
    fileOf(Buffer.concat([GIF, Buffer.alloc(6_000_000)]), "a.gif", "image/gif"),
    /The limit is/,
  ],
  ["a file that is no image", fileOf(Buffer.from("%PDF"), "a.png"), /Use PNG, JPEG, GIF or WebP/],
])("refuses %s, and takes another one", async (_, refused, words) => {
  const { page } = await signIn()
  const id = await openCampaign(page, HEADING)
  const input = await addImage(page)
  await input.setInputFiles(refused)
  await page.getByRole("alert").filter({ hasText: words }).waitFor()
  await page.getByRole("button", { name: "Discard" }).click()
  await page.getByLabel("Upload an image").setInputFiles(fileOf(GIF, "a.gif", "image/gif"))
  await expect.poll(async () => (await imagesOf(id))[0]?.url, SOON).toMatch(/\/i\/[\w-]+\.gif$/)
})

it("takes an image that is dropped on an image, on a text or pasted", async () => {
  const { page, complaints } = await signIn()
  const id = await openCampaign(page, HEADING)
  await giveFiles(page, "[data-drawn=heading]", "drop", await drawPng(page, 40, 20, "red"))
  await expect.poll(async () => (await imagesOf(id)).length, SOON).toBe(1)
  const [first] = await imagesOf(id)
  await giveFiles(page, "[data-drawn=image]", "drop", await drawPng(page, 40, 20, "green"))
  await expect.poll(async () => (await imagesOf(id))[0].url, SOON).not.toBe(first.url)
  await giveFiles(
    page,
    "[data-drawn=heading] [contenteditable]",
    "paste",
    await drawPng(page, 40, 20, "blue"),
  )
  await expect.poll(async () => (await imagesOf(id)).length, SOON).toBe(2)
  const { blocks } = await api("GET", `/campaigns/${id}`)
  expect(blocks.map(({ kind }: { kind: string }) => kind)).toEqual(["heading", "image", "image"])
  expect(complaints).toEqual([])
})
