import { mkdirSync } from "node:fs"
import type { Browser, Page } from "playwright-core"
import { startDevServer } from "../system/dev-server.ts"
import { launchChromium } from "./chromium.ts"
import { fillTeam, pagesOf } from "./pages.ts"

/**
 * `npm run screenshots` takes pictures of every page into dist/screenshots: at two widths, in both
 * themes, with data that is absurdly long in places, without any data, and where the API fails.
 */
const OUT = "dist/screenshots"
const WIDTHS = [1440, 390]
const THEMES = ["light", "dark"] as const

const server = await startDevServer()
const { baseUrl, dashboard, other } = server.credentials
const browser = await launchChromium()
try {
  const call = async (method: string, path: string, body?: unknown) =>
    (await server.call(method, `/api/v1${path}`, body)).json()
  const ids = await fillTeam(call)
  server.execute(
    `insert into members (user_id, team_id, role, created_at)
     select id, '${other.teamId}', 'owner', 0 from users where email = '${dashboard.email}'`,
  )
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      const look = { theme, width }
      await shoot(browser, "data", look, pagesOf(ids))
      await shoot(browser, "empty", look, pagesOf({}).filter(isList), { team: other.teamId })
      await shoot(browser, "error", look, pagesOf(ids).filter(isList), { fails: true })
    }
  }
} finally {
  await browser.close()
  await server.dispose()
}

function isList(path: string) {
  return !path.includes("undefined") && !/[?]|_[0-9A-Z]{26}/.test(path)
}

interface Look {
  theme: (typeof THEMES)[number]
  width: number
}

async function shoot(
  browser: Browser,
  name: string,
  { theme, width }: Look,
  paths: readonly string[],
  { team, fails }: { team?: string; fails?: boolean } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height: width > 1000 ? 900 : 844 },
    colorScheme: theme,
    baseURL: baseUrl,
  })
  const { email, password } = dashboard
  await context.request.post("/dashboard/auth/sign-in/email", { data: { email, password } })
  if (team) await context.addInitScript(`localStorage.setItem("team", "${team}")`)
  const page = await context.newPage()
  if (fails) await failEveryCall(page)
  const directory = `${OUT}/${name}`
  mkdirSync(directory, { recursive: true })
  for (const path of paths) {
    await page.goto(`/dashboard${path}`)
    await page.locator("h1").first().waitFor()
    await page.waitForTimeout(700)
    const file = `${path.replaceAll(/[^a-z0-9]+/gi, "-").slice(1, 40) || "overview"}-${width}-${theme}`
    await page.screenshot({ path: `${directory}/${file}.png`, fullPage: true })
  }
  await context.close()
}

/** All but the session, without which there is only the sign-in. */
const failEveryCall = (page: Page) =>
  page.route(/\/dashboard\/api\/(?!session|stream)/, (route) =>
    route.fulfill({
      status: 500,
      headers: { "x-request-id": "req_01J00000000000000000000000" },
      json: { error: { code: "internal_error", message: "Something went wrong on our side." } },
    }),
  )
