import { readFileSync, statSync, writeFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { api, isLoaded, launchBrowser } from "./person.ts"

/**
 * The picture of the readme is old when the page says something else than on the day it was taken. Its words stand
 * beside it, without times, ids and numbers; colors and spaces do not count. `npm run readme-picture` takes it again.
 */
const OUTLINE = "docs/images/email.txt"
const MAX_BYTES = 150_000

const { signIn } = launchBrowser()

async function sendBounce(): Promise<string> {
  const { id } = await api("POST", "/emails", {
    from: "Acme <billing@demo.test>",
    to: "bounce+grace.hopper@simulator.amazonses.com",
    subject: "Your invoice for November",
    html: "<h1>Your invoice</h1><p>Thank you for your order. The total is 48.00 EUR.</p>",
    tags: { kind: "invoice" },
  })
  await expect.poll(async () => (await api("GET", `/emails/${id}`)).status).toBe("bounced")
  return id
}

async function openEmail(page: Page, id: string) {
  await page.goto(`/dashboard/emails/${id}`)
  await page.locator("h1").waitFor()
  await isLoaded(page)
}

/** What the page says, a line each. */
async function outlineOf(page: Page): Promise<string> {
  await page.evaluate(`for (const one of document.querySelectorAll("main :is(time, code)")) {
    one.replaceChildren("…")
  }`)
  const text = await page.locator("main").innerText()
  const lines = text.split("\n").map((line) =>
    line
      .trim()
      .replace(/^.*(?= after it was sent)/, "…")
      .replace(/\bafter \d.*$/, "after …")
      .replace(/\d[\d.,:]*/g, "0"),
  )
  return `${lines.filter(Boolean).join("\n")}\n`
}

it("the picture of the readme shows the page as it is", async () => {
  const outlines: string[] = []
  const id = await sendBounce()
  for (const theme of ["light", "dark"] as const) {
    const { page, context, complaints } = await signIn({ theme, width: 1280 })
    const file = `docs/images/email-${theme}.png`
    await openEmail(page, id)
    if (process.env.TAKE_PICTURE) {
      await page.setViewportSize({ width: 1280, height: 640 })
      await page.screenshot({ path: file })
    }
    expect(statSync(file).size).toBeLessThan(MAX_BYTES)
    expect(readFileSync("README.md", "utf8")).toContain(`"${file}"`)
    outlines.push(await outlineOf(page))
    expect(complaints).toEqual([])
    await context.close()
  }
  if (process.env.TAKE_PICTURE) writeFileSync(OUTLINE, outlines[0] as string)
  const taken = readFileSync(OUTLINE, "utf8")
  expect(outlines, "npm run readme-picture takes the picture again").toEqual([taken, taken])
})
