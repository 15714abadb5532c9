import { mkdirSync } from "node:fs"
import type { BrowserContext, Page } from "playwright-core"
import { startDevServer } from "../system/dev-server.ts"
import { launchChromium } from "./chromium.ts"
import { type Opened, openedOf } from "./opened.ts"
import { type Call, fillTeam, OPEN_PAGES, pagesOf } from "./pages.ts"
import { startReceiver } from "./receiver.ts"
import { recipientPages } from "./recipient-pages.ts"
import { fillSampleTeam } from "./sample-team.ts"

/**
 * `npm run screenshots` takes pictures of every page into dist/screenshots: at two widths, in both
 * themes, with data, with absurdly long values, empty, where the API fails, and as a member; those
 * with data also on a very wide screen. With data, there are also the dialogs, menus and editors,
 * the pages of recipients, and the API reference.
 * `npm run screenshots -- long 390-dark` takes those whose names contain all of the words.
 */
const OUT = "dist/screenshots"
const WORDS = process.argv.slice(2)
const LOOKS = ["1440-light", "390-dark", "1440-dark", "390-light", "2560-light"]
const HEIGHTS: Record<number, number> = { 390: 844, 1440: 900, 2560: 1440 }

interface Kind {
  name: string
  paths: readonly string[]
  /** Instead of paths. */
  opened?: readonly Opened[]
  person?: { email: string; password: string }
  team?: string
  fails?: boolean
}

const server = await startDevServer()
const browser = await launchChromium()
const receivers = { works: await startReceiver(), fails: await startReceiver() }
receivers.fails.answer(500, "The disk is full")
try {
  const kinds = await fillTeams()
  const failed: string[] = []
  await Promise.all(
    LOOKS.map(async (look) => {
      for (const kind of kinds) failed.push(...(await shoot(kind, look)))
    }),
  )
  if (failed.length > 0) throw new Error(`Not taken:\n${failed.join("\n")}`)
} finally {
  await browser.close()
  await server.dispose()
  receivers.works.close()
  receivers.fails.close()
}

async function fillTeams(): Promise<Kind[]> {
  const { dashboard, teamId, other, apiKey } = server.credentials
  const owner = await signIn(dashboard)
  const apiOf =
    (key: string): Call =>
    async (method, path, body) =>
      (await server.call(method, `/api/v1${path}`, body, key)).json()
  const session: Call = async (method, path, data) => {
    const headers = { "x-team-id": teamId }
    return (await owner.request.fetch(`/dashboard/api${path}`, { method, data, headers })).json()
  }
  const sample = await fillSampleTeam({
    id: teamId,
    domain: "demo.test",
    api: apiOf(apiKey),
    session,
    execute: server.execute,
    receivers: { works: receivers.works.url, fails: receivers.fails.url },
  })
  const long = await fillTeam(apiOf(other.apiKey), "other.test")
  const empty = await session("POST", "/teams", { name: "New team" })
  await owner.close()
  const member = { email: "joan.clarke@acme.com", password: dashboard.password }
  server.execute(`
    insert into members (user_id, team_id, role, created_at)
      select id, '${other.teamId}', 'owner', 0 from users where email = '${dashboard.email}';
    insert into accounts (user_id, provider_id, id, account_id, password, created_at, updated_at)
      select 'joan-clarke', provider_id, 'joan', 'joan-clarke', password, 0, 0 from accounts
      where user_id = (select id from users where email = '${dashboard.email}')`)
  const lists = pagesOf({}).filter((path) => !/[?@]/.test(path))
  return [
    { name: "data", paths: pagesOf(sample), team: teamId },
    { name: "long", paths: pagesOf(long), team: other.teamId },
    { name: "empty", paths: lists, team: empty.id },
    { name: "error", paths: pagesOf(sample), team: teamId, fails: true },
    { name: "member", paths: pagesOf(sample), team: teamId, person: member },
    { name: "visitor", paths: OPEN_PAGES },
    { name: "opened", paths: [], opened: openedOf(sample), team: teamId },
    {
      name: "recipient",
      paths: [],
      opened: recipientPages(server.state, server.credentials.baseUrl),
    },
  ]
}

async function signIn({ email, password }: { email: string; password: string }) {
  const context = await browser.newContext({ baseURL: server.credentials.baseUrl })
  await context.request.post("/dashboard/auth/sign-in/email", { data: { email, password } })
  return context
}

/** Takes the pictures of a kind, and returns those that could not be taken. */
async function shoot(kind: Kind, look: string): Promise<string[]> {
  const { name, paths, team, person, fails } = kind
  const failed: string[] = []
  if (look.startsWith("2560") && name !== "data") return []
  const names = paths.map(nameOf).map(numbered)
  const opened =
    kind.opened ?? paths.map((path, index) => ({ name: names[index] ?? "", path, steps: [] }))
  const wanted = opened
    .map((one) => [one, `${name}/${one.name}-${look}.png`] as const)
    .filter(([, file]) => WORDS.every((word) => file.includes(word)))
  if (wanted.length === 0) return []
  mkdirSync(`${OUT}/${name}`, { recursive: true })
  const context = await openContext(look, team && (person ?? server.credentials.dashboard))
  if (team) await context.addInitScript(`localStorage.setItem("team", "${team}")`)
  if (fails) await failEveryCall(context)
  const page = await context.newPage()
  for (const [one, file] of wanted) {
    await takePicture(page, one, file).catch((error) => failed.push(`${file}: ${error.message}`))
  }
  await context.close()
  return failed
}

async function takePicture(page: Page, { path, steps }: Opened, file: string) {
  await page.goto(path.startsWith("http") ? path : `/dashboard${path}`)
  await page.locator("h1").first().waitFor()
  await page.getByLabel("Loading").first().waitFor({ state: "detached" })
  for (const step of steps) await step(page)
  await page.waitForTimeout(500)
  // What floats is as high as the window, so the page below it need not be whole.
  await page.screenshot({ path: `${OUT}/${file}`, fullPage: steps.length === 0 })
}

async function openContext(look: string, person: Kind["person"] | "" | undefined) {
  const signedIn = person ? await signIn(person) : undefined
  const storageState = await signedIn?.storageState()
  await signedIn?.close()
  const width = Number.parseInt(look, 10)
  return browser.newContext({
    viewport: { width, height: HEIGHTS[width] ?? 900 },
    colorScheme: look.endsWith("dark") ? "dark" : "light",
    baseURL: server.credentials.baseUrl,
    ...(storageState && { storageState }),
  })
}

/** Of an object's page, the name of its type: "emails-em". */
function nameOf(path: string) {
  return (
    path
      .replaceAll(/_[0-9A-Z]{26}/g, "")
      .replaceAll(/[^a-z0-9]+/gi, "-")
      .slice(1) || "overview"
  )
}

/** A second page of the same type is "emails-em-2". */
function numbered(name: string, index: number, names: readonly string[]) {
  const number = names.slice(0, index + 1).filter((one) => one === name).length
  return number > 1 ? `${name}-${number}` : name
}

/** All but the session, without which there is only the sign-in. */
function failEveryCall(context: BrowserContext) {
  return context.route(/\/dashboard\/api\/(?!session|stream)/, (route) =>
    route.fulfill({
      status: 500,
      headers: { "x-request-id": "req_01J00000000000000000000000" },
      json: { error: { code: "internal_error", message: "Something went wrong on our side." } },
    }),
  )
}
