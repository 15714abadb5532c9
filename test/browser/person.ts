import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, expect, inject } from "vitest"
import { launchChromium } from "./chromium.ts"

export const credentials = inject("credentials")
export const { baseUrl } = credentials

/** Edgepost's API as the holder of a key, to make what a page shows. */
export async function api(method: string, path: string, body?: unknown, key = credentials.apiKey) {
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(response.ok, `${method} ${path}: ${text}`).toBe(true)
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  return (text === "" ? undefined : JSON.parse(text)) as any
}

/** What the browser itself says of a reply that is an error. */
const REFUSED = /^Failed to load resource/

/** The browser tells of a refused eval by an event only. */
const TELL_EVAL = `addEventListener("securitypolicyviolation", ({ blockedURI, sourceFile }) => {
  if (blockedURI === "eval") console.error("The policy refuses eval in " + sourceFile)
})`

interface Look {
  width?: number
  theme?: "light" | "dark"
  baseURL?: string
  timezoneId?: string
  locale?: string
}

/** A browser for the tests of a file, and the people who use it. */
export function launchBrowser() {
  let browser: Browser
  const contexts: BrowserContext[] = []
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(async () => {
    const pages = contexts.flatMap((context) => context.pages())
    // A call that the test answers may still be on its way.
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: "ignoreErrors" })))
    await browser?.close()
  })

  /** Somebody who is not signed in. What the page complains about fails the test. */
  async function visit({ width = 1440, theme = "light", baseURL = baseUrl, ...more }: Look = {}) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: theme,
      baseURL,
      ...more,
      permissions: ["clipboard-read", "clipboard-write"],
    })
    contexts.push(context)
    await context.addInitScript(TELL_EVAL)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on("pageerror", (error) => complaints.push(String(error)))
    page.on("console", (message) => {
      if (/^(error|warning)$/.test(message.type()) && !REFUSED.test(message.text())) {
        complaints.push(message.text())
      }
    })
    return { page, context, complaints }
  }

  /** The owner of the demo team, or whoever has this email and password. */
  async function signIn(
    look?: Look,
    who: { email: string; password: string } = credentials.dashboard,
  ) {
    const visitor = await visit(look)
    const { email, password } = who
    const reply = await visitor.context.request.post("/dashboard/auth/sign-in/email", {
      data: { email, password },
    })
    expect(reply.status()).toBe(200)
    // As the page has it after a sign-in in the browser.
    await visitor.context.addInitScript(`localStorage.setItem("signed-in", "true")`)
    return visitor
  }

  return { visit, signIn }
}

/** Waits until the live stream of the page is confirmed. */
export const isLive = (page: Page) =>
  page.waitForResponse((reply) => new URL(reply.url()).pathname.endsWith("/stream"))

/** Waits until nothing on the page is loading. */
export const isLoaded = (page: Page) =>
  page.getByLabel("Loading").first().waitFor({ state: "detached" })
