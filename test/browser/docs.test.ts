import AxeBuilder from "@axe-core/playwright"
import type { BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { find } from "../../src/reference/browser/find.ts"
import { launchChromium } from "./chromium.ts"

type Browser = Awaited<ReturnType<typeof launchChromium>>

const { baseUrl } = inject("credentials")
let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const PHONE = { width: 390, height: 844 }
const DESK = { width: 1440, height: 900 }

async function open(options: BrowserContextOptions, anchor = ""): Promise<Page> {
  const context = await browser.newContext({ viewport: DESK, ...options })
  const page = await context.newPage()
  await page.goto(`${baseUrl}/docs${anchor}`)
  return page
}

const current = (page: Page) => page.locator("#tree [aria-current]").first().innerText()

/** One of each kind of content: axe takes a minute for the whole page. */
const KINDS = [
  "header",
  "#contents",
  ...["start", "errors", "emails", "webhook-events"].map((id) => `section:has(#${id})`),
]

describe.each(["light", "dark"] as const)("the reference in the %s theme", (colorScheme) => {
  it("has no fault that axe finds", async () => {
    const page = await open({ colorScheme })
    const axe = KINDS.reduce((builder, kind) => builder.include(kind), new AxeBuilder({ page }))
    const { violations } = await axe.analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  }, 180_000)

  it.each([DESK, PHONE])("asks no other host and fits at %o", async (viewport) => {
    const page = await open({ colorScheme, viewport })
    const hosts = new Set<string>()
    const complaints: string[] = []
    page.on("request", (request) => hosts.add(new URL(request.url()).origin))
    page.on("console", (message) => complaints.push(message.text()))
    await page.reload({ waitUntil: "networkidle" })
    expect({ complaints, hosts: [...hosts] }).toEqual({ complaints: [], hosts: [baseUrl] })
    const wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    expect(await page.evaluate(wider)).toBe(false)
  })
})

describe("the reference", () => {
  it("shows in the contents where the reader is", async () => {
    const page = await open({}, "#call-emails.send")
    await expect.poll(() => current(page)).toMatch("Send an email")
    await page.locator("#webhook-events").scrollIntoViewIfNeeded()
    await page.evaluate("document.getElementById('webhook-events').scrollIntoView()")
    await expect.poll(() => current(page)).toBe("Webhook events")
    await expect
      .poll(() => page.locator("#tree li.open > a").first().innerText())
      .toBe("Webhook events")
  })

  it("keeps the contents closed on a phone, and closes them at a choice", async () => {
    const page = await open({ viewport: PHONE })
    const contents = page.locator("#contents")
    expect(await contents.isVisible()).toBe(false)
    await page.getByRole("button", { name: "Contents" }).click()
    expect(await contents.isVisible()).toBe(true)
    await page.getByRole("link", { name: "Idempotency", exact: true }).first().click()
    await expect.poll(() => contents.isVisible()).toBe(false)
    await expect.poll(() => page.url()).toMatch(/#idempotency$/)
    const top = "document.getElementById('idempotency').getBoundingClientRect().top"
    await expect.poll(() => page.evaluate(top)).toBeGreaterThan(55)
  })

  it("finds a call and a member from the keyboard alone", async () => {
    const page = await open({})
    await page.keyboard.press("/")
    await page.keyboard.type("cancel email")
    await expect.poll(() => page.locator("#found").innerText()).toMatch(/^\d+ results$/)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.url()).toMatch(/#call-emails\.cancel$/)
    await expect.poll(() => page.locator("#tree").isVisible()).toBe(true)
    await page.keyboard.press("/")
    await page.keyboard.type("overrideSuppression")
    await expect
      .poll(() => page.locator("#results mark").first().innerText())
      .toBe("overrideSuppression")
    await page.keyboard.press("Escape")
    await expect.poll(() => page.locator("#results li").count()).toBe(0)
    await page.keyboard.type("zzzz")
    await expect.poll(() => page.locator("#found").innerText()).toBe("Nothing found")
  })

  it("opens the search on a phone, too", async () => {
    const page = await open({ viewport: PHONE })
    await page.keyboard.press("/")
    await page.keyboard.type("suppressions")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.url()).toMatch(/#suppressions$/)
    await expect.poll(() => page.locator("#contents").isVisible()).toBe(false)
  })

  it("shows one language everywhere, and remembers it", async () => {
    const page = await open({}, "#call-emails.send")
    const shown = (id: string) => page.locator(`article:has(#${id}) .looks figure:visible`)
    const send = page.locator("article:has([id='call-emails.send'])")
    expect(await send.locator("figure:visible").first().innerText()).toContain("curl ")
    await send.getByRole("button", { name: "JavaScript" }).click()
    expect(await send.locator("figure:visible").first().innerText()).toContain(
      "edgepost.emails.send(",
    )
    await page.goto(`${baseUrl}/docs#call-me`)
    await page.reload()
    expect(await shown("call-me").first().innerText()).toContain("edgepost.me()")
    await send.getByRole("button", { name: "422" }).click()
    expect(await send.locator("figure:visible").last().innerText()).toContain(
      "suppressed_recipient",
    )
  })

  it("copies code as it stands", async () => {
    const page = await open({ permissions: ["clipboard-read", "clipboard-write"] })
    const figure = page.locator("#start ~ figure").first()
    await figure.hover()
    await figure.getByRole("button", { name: "Copy: First email" }).click()
    await expect.poll(() => figure.getByRole("button").innerText()).toBe("Copied")
    const copied = await page.evaluate<string>("navigator.clipboard.readText()")
    expect(copied).toBe(await figure.locator("pre").textContent())
    expect(copied).toContain(`curl ${baseUrl}/api/v1/emails \\\n`)
  })

  it.each([DESK, PHONE])(
    "loses no example and no chapter without script at %o",
    async (viewport) => {
      const page = await open({ javaScriptEnabled: false, viewport }, "#call-emails.send")
      const send = page.locator("article:has([id='call-emails.send'])")
      for (const text of ["curl ", "edgepost.emails.send(", '"id": "em_', "suppressed_recipient"]) {
        expect(await send.locator("figure:visible", { hasText: text }).count()).toBeGreaterThan(0)
      }
      expect(await page.getByRole("searchbox").count()).toBe(0)
      if (viewport === PHONE) await page.getByRole("button", { name: "Contents" }).click()
      await page.locator("#tree").getByText("Payload", { exact: true }).click()
      await expect.poll(() => page.url()).toMatch(/#webhook-payload$/)
    },
  )
})

it("the search puts titles before paths and paths before texts, and needs every word", () => {
  const entry = (id: string, title: string, path: string, text: string) => ({
    ...{ id, title, path, text },
    ...{ method: "GET", chapter: "" },
  })
  const entries = [
    entry("text", "Other", "/other", "about webhooks here"),
    entry("path", "List them", "/webhooks", ""),
    entry("title", "Webhooks", "/hooks", ""),
  ]
  expect(find(entries, ["webhooks"]).map(({ id }) => id)).toEqual(["title", "path", "text"])
  expect(find(entries, ["webhooks", "here"]).map(({ id }) => id)).toEqual(["text"])
  expect(find(entries, ["nothing"])).toEqual([])
})
