import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { faultsOf } from "./faults.ts"
import { fillTeam, OPEN_PAGES, pagesOf } from "./pages.ts"
import { api, launchBrowser } from "./person.ts"

const { visit, signIn } = launchBrowser()
const THEMES = ["light", "dark"] as const
const MAX_SCRIPT_BYTES = 172_000
/** Pages that open with their editor: that of code, and the canvas with its text editor. */
const MAX_CODE_EDITOR_BYTES = 320_000
const MAX_CANVAS_BYTES = 358_000
/** The fields of a form beside its page. The canvas of its mail is loaded later. */
const MAX_FORM_EDITOR_BYTES = 206_000
const MAX_TEMPLATE_OF_BLOCKS_BYTES = 364_000
/** The cards with their forms. The canvas comes with the first mail. */
const MAX_SEQUENCE_BYTES = 260_000

function maxBytesOf(path: string): number {
  if (path.endsWith("?of=blocks")) return MAX_TEMPLATE_OF_BLOCKS_BYTES
  if (/^\/forms\/\w+_/.test(path)) return MAX_FORM_EDITOR_BYTES
  if (/^\/sequences\/\w+_/.test(path)) return MAX_SEQUENCE_BYTES
  if (/^\/(campaigns|layouts)\/\w+_/.test(path)) return MAX_CANVAS_BYTES
  return /^\/templates\/\w+_/.test(path) ? MAX_CODE_EDITOR_BYTES : MAX_SCRIPT_BYTES
}

interface Seen {
  path: string
  faults: Record<(typeof THEMES)[number], string[]>
  faultsOnPhone: string[]
  /** Their addresses. */
  scripts: string[]
}
const seen: Seen[] = []
const hosts = new Set<string>()
/** Compressed, by address. */
const bytesOf = new Map<string, number>()

beforeAll(async () => {
  const { context } = await signIn()
  const blocks = [{ kind: "divider" }]
  const create = async (path: string, data: object) =>
    (await (await context.request.post(`/dashboard/api${path}`, { data })).json()).id
  const layout = await create("/layouts", { name: "Footer", blocks })
  const templateOfBlocks = await create("/template-drafts", {
    ...{ slug: "of-blocks", name: "Of blocks", subject: "Hi", bodyHtml: "-", bodyText: null },
    ...{ variablesSchema: { variables: [] }, design: { blocks } },
  })
  await context.close()
  const ids = { ...(await fillTeam(api)), layout, templateOfBlocks }
  await look(await signIn(), [...pagesOf(ids), "/second-factor"])
  await look(await visit(), OPEN_PAGES)
}, 400_000)

/** Loads each page once, and looks at it in both themes and on a phone. */
async function look(
  { page, complaints }: Awaited<ReturnType<typeof visit>>,
  paths: readonly string[],
) {
  page.on("response", async (response) => {
    // The browser may close meanwhile.
    const { responseBodySize } = await response
      .request()
      .sizes()
      .catch(() => ({ responseBodySize: 0 }))
    // From the browser's cache a script has no size.
    if (responseBodySize > 0) bytesOf.set(response.url(), responseBodySize)
  })
  page.on("request", (request) => hosts.add(new URL(request.url()).host))
  for (const path of paths) {
    await settle(page, path)
    const scripts = (await page.evaluate(SCRIPTS)) as string[]
    const one: Seen = { path, scripts, faults: { light: [], dark: [] }, faultsOnPhone: [] }
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      // Only colours differ in the dark theme.
      const rules = theme === "dark" ? ["color-contrast"] : undefined
      one.faults[theme] = [...(await faultsOf(page, rules)), ...complaints.splice(0)]
    }
    await page.setViewportSize({ width: 390, height: 900 })
    one.faultsOnPhone = await faultsOnPhone(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: "light" })
    seen.push(one)
  }
}

/** Opens a page and waits until it has loaded what it shows. */
async function settle(page: Page, path: string) {
  await page.goto(`/dashboard${path}`)
  await page
    .locator("h1")
    .first()
    .waitFor({ timeout: 15_000 })
    .catch(() => expect.fail(`${path} shows no heading: ${page.url()}`))
  await page.getByLabel("Loading").first().waitFor({ state: "detached" })
  await page.waitForTimeout(200)
}

const SCRIPTS = `performance.getEntriesByType("resource")
  .map(({ name }) => name)
  .filter((url) => new URL(url).pathname.endsWith(".js"))`

const WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"

/** The menu of further actions comes after the page's own ones, for the keyboard, too. */
const MENU_IS_LAST = `(() => {
  const actions = [...document.querySelectorAll("main header :is(a, button)")]
  return actions.findIndex((one) => one.matches("[data-more]")) === actions.length - 1 ||
    !actions.some((one) => one.matches("[data-more]"))
})()`

/** An id is copied and compared as a whole. */
const BROKEN_IDS = `[...document.querySelectorAll("main code")]
  .filter((code) => /^[a-z]+_[0-9A-Z]{26}$/.test(code.textContent) && code.offsetHeight > 24)
  .map((code) => code.textContent)`

/** "Add domain", not "Add a domain". */
const WORDY_ACTIONS = `[...document.querySelectorAll("main header :is(a, button)")]
  .map((action) => action.textContent)
  .filter((label) => /\\b(a|an|the)\\b/i.test(label))`

async function faultsOnPhone(page: Page): Promise<string[]> {
  const faults: string[] = []
  if (await page.evaluate(WIDER)) faults.push("is wider than the phone")
  if (!(await page.evaluate(MENU_IS_LAST))) faults.push("the menu is not the last")
  for (const rule of [BROKEN_IDS, WORDY_ACTIONS]) {
    faults.push(...((await page.evaluate(rule)) as string[]))
  }
  return faults
}

it.each(THEMES)("in the %s theme, axe finds nothing on any page, and none complains", (theme) => {
  expect(seen.filter(({ faults }) => faults[theme].length > 0)).toEqual([])
})

it("every page fits on a phone, with the menu last, whole ids and short actions", () => {
  expect(seen.filter(({ faultsOnPhone }) => faultsOnPhone.length > 0)).toEqual([])
})

it("no page loads more than 172 KB of script before its editor, nor asks another host", () => {
  const sizes = seen.map(({ path, scripts }) => ({
    path,
    bytes: scripts.reduce((sum, url) => sum + (bytesOf.get(url) ?? Number.NaN), 0),
  }))
  expect(sizes.filter(({ path, bytes }) => !(bytes <= maxBytesOf(path)))).toEqual([])
  expect(Math.min(...sizes.map(({ bytes }) => bytes))).toBeGreaterThan(50_000)
  expect([...hosts]).toHaveLength(1)
})
