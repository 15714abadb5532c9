import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { executeOn } from "../system/dev-server.ts"
import { isLoaded, launchBrowser } from "./person.ts"
import { runCurl } from "./snippet.ts"

const { signIn } = launchBrowser()

/** Makes the key of an empty page, and runs the call that the page shows. */
async function runSnippet(page: Page, path: string) {
  await page.goto(`/dashboard${path}`)
  await page.locator("h1").first().waitFor()
  await isLoaded(page)
  await page.getByRole("button", { name: "Create an API key for this snippet" }).click()
  await page.getByText("This key is shown only once.").waitFor()
  await page.getByRole("button", { name: "Copy curl" }).click()
  const command = (await page.evaluate("navigator.clipboard.readText()")) as string
  const { status, body } = await runCurl(command)
  expect(status, `${path}: ${JSON.stringify(body)}`).toBeLessThan(300)
  return body.id
}

it("shows no filters over an empty list, and bars while its first step loads", async () => {
  const { page, complaints } = await signIn()
  const reply = await page.request.post("/dashboard/api/teams", { data: { name: "Nothing yet" } })
  const { id } = await reply.json()
  await page.addInitScript(`localStorage.setItem("team", "${id}")`)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let isListed = false
  page.on("response", (response) => {
    isListed ||= /\/api\/campaigns\b/.test(response.url())
  })
  await page.route(/\.js$/, async (route) => {
    if (isListed) await held
    await route.continue()
  })
  await page.goto("/dashboard/campaigns")
  await page.getByRole("link", { name: "Create campaign" }).waitFor()
  await page.getByLabel("Status").waitFor({ state: "detached" })
  await page.getByLabel("Loading").waitFor()
  release()
  await page.getByText("No campaigns yet").waitFor()
  await isLoaded(page)
  for (const path of ["/campaigns", "/suppressions"]) {
    await page.goto(`/dashboard${path}`)
    await page
      .getByText(/^No .* yet$|^No suppressed addresses$/)
      .first()
      .waitFor()
    expect(await page.locator("main :is([type=search], [role=combobox])").count(), path).toBe(0)
  }
  expect(complaints).toEqual([])
})

it("makes one key for a snippet, also by a double click", async () => {
  const { page } = await signIn()
  const reply = await page.request.post("/dashboard/api/teams", { data: { name: "Twice" } })
  const { id } = await reply.json()
  await page.addInitScript(`localStorage.setItem("team", "${id}")`)
  const calls: string[] = []
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/api-keys"))
      calls.push(request.url())
  })
  await page.goto("/dashboard/suppressions")
  await page.getByRole("button", { name: "Create an API key for this snippet" }).dblclick()
  await page.getByText("This key is shown only once.").waitFor()
  expect(calls).toHaveLength(1)
})

it("holds on every empty list a call that works as it is pasted, and shows what it made", async () => {
  const { page, complaints } = await signIn()
  const reply = await page.request.post("/dashboard/api/teams", { data: { name: "Empty" } })
  const { id } = await reply.json()
  await page.addInitScript(`localStorage.setItem("team", "${id}")`)
  const appears = (text: string) => page.getByRole("row").filter({ hasText: text }).waitFor()

  await runSnippet(page, "/suppressions")
  await appears("ada@example.com")
  await runSnippet(page, "/templates")
  await appears("Welcome, {{ name }}")
  const webhook = await runSnippet(page, "/webhooks")
  await appears("example.com/webhooks")
  await runSnippet(page, `/webhooks/${webhook}`)
  await appears("email.delivered")
  await page.goto("/dashboard/segments")
  await page.getByRole("link", { name: "create a contact book" }).waitFor()
  const book = await runSnippet(page, "/contacts")
  await appears("Newsletter")
  await runSnippet(page, `/contacts/${book}`)
  await appears("ada@example.com")
  await runSnippet(page, "/segments")
  await appears("Readers in London")
  await runSnippet(page, "/topics")
  await appears("News")
  await page.goto("/dashboard/campaigns")
  await page.getByRole("link", { name: "verify a domain" }).waitFor()
  await runSnippet(page, "/domains")
  await appears("mail.")
  executeOn(inject("state"), `update domains set status = 'verified' where team_id = '${id}'`)
  await runSnippet(page, "/campaigns")
  await appears("Spring news")
  await runSnippet(page, "/sequences")
  await appears("Welcome")
  await runSnippet(page, "/emails")
  await appears("It works")
  expect(complaints).toEqual([])
}, 120_000)
