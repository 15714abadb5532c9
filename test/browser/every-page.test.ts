import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { faultsOf } from "./faults.ts"
import { fillTeam, OPEN_PAGES, pagesOf } from "./pages.ts"
import { api, launchBrowser } from "./person.ts"

const { visit, signIn } = launchBrowser()
const MAX_SCRIPT_BYTES = 180 * 1024
/** Pages that open with their editor: that of code, and the canvas with its text editor. */
const MAX_CODE_EDITOR_BYTES = 200_000
const MAX_CANVAS_BYTES = 392_000
const MAX_TEMPLATE_OF_BLOCKS_BYTES = 395_000

function maxBytesOf(path: string): number {
  if (path.endsWith("?of=blocks")) return MAX_TEMPLATE_OF_BLOCKS_BYTES
  if (/^\/(campaigns|layouts)\/\w+_/.test(path)) return MAX_CANVAS_BYTES
  return /^\/templates\/\w+_/.test(path) ? MAX_CODE_EDITOR_BYTES : MAX_SCRIPT_BYTES
}

let paths: string[]
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
  paths = [...pagesOf(ids), "/second-factor"]
})

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

const WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  it("axe finds nothing on any page, and none complains", async () => {
    const { page, complaints } = await signIn({ theme })
    const faults: Record<string, string[]> = {}
    for (const path of paths) {
      await settle(page, path)
      const found = [...(await faultsOf(page)), ...complaints.splice(0)]
      if (found.length > 0) faults[path] = found
    }
    const visitor = await visit({ theme })
    for (const path of OPEN_PAGES) {
      await settle(visitor.page, path)
      const found = [...(await faultsOf(visitor.page)), ...visitor.complaints.splice(0)]
      if (found.length > 0) faults[path] = found
    }
    expect(faults).toEqual({})
  }, 300_000)
})

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

it("fits on a phone, with the menu last, whole ids and short actions", async () => {
  const { page } = await signIn({ width: 390 })
  const faults: string[] = []
  for (const path of paths) {
    await settle(page, path)
    if (await page.evaluate(WIDER)) faults.push(`${path} is wider than the phone`)
    if (!(await page.evaluate(MENU_IS_LAST))) faults.push(`${path}: the menu is not the last`)
    for (const rule of [BROKEN_IDS, WORDY_ACTIONS]) {
      const found = (await page.evaluate(rule)) as string[]
      faults.push(...found.map((text) => `${path}: ${text}`))
    }
  }
  expect(faults).toEqual([])
}, 180_000)

it("no page loads more than 180 KB of script before its editor, nor asks another host", async () => {
  const sizes: Record<string, number> = {}
  const hosts = new Set<string>()
  for (const path of [...paths, ...OPEN_PAGES]) {
    const { page, context } = await (OPEN_PAGES.includes(path) ? visit() : signIn())
    let bytes = 0
    page.on("request", (request) => hosts.add(new URL(request.url()).host))
    page.on("response", async (response) => {
      if (!/\.js$/.test(new URL(response.url()).pathname)) return
      const { responseBodySize } = await response.request().sizes()
      bytes += responseBodySize
    })
    await settle(page, path)
    sizes[path] = bytes
    await context.close()
  }
  const large = Object.entries(sizes).filter(([path, bytes]) => bytes > maxBytesOf(path))
  expect(large).toEqual([])
  expect(Math.max(...Object.values(sizes))).toBeGreaterThan(50_000)
  expect([...hosts]).toHaveLength(1)
}, 240_000)
