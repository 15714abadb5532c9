import { expect, it } from "vitest"
import { act, choose } from "./choose.ts"
import { api, baseUrl, isLive, launchBrowser } from "./person.ts"
import { runCurl } from "./snippet.ts"

const { signIn } = launchBrowser()

it("makes a key whose snippet sends an email that is seen arriving", async () => {
  const { page, context } = await signIn()
  await api("POST", "/emails", {
    from: "hello@demo.test",
    to: "ada@example.com",
    subject: "The one before",
    text: "Hi",
  })
  const log = await context.newPage()
  const live = isLive(log)
  await log.goto("/dashboard/emails")
  await log.getByRole("heading", { name: "Emails" }).waitFor()
  await live

  await page.goto("/dashboard/api-keys")
  await page.getByRole("button", { name: "Create API key" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill("Shop, production")
  await choose(dialog.getByLabel("Domain"), "demo.test only")
  await dialog.getByRole("button", { name: "Create API key" }).click()
  await dialog.getByText("Copy it now").waitFor()
  await page.keyboard.press("Escape")
  const question = page.getByRole("dialog", { name: /not shown again/ })
  await question.getByRole("button", { name: "Stay" }).click()
  await question.waitFor({ state: "detached" })
  await dialog.getByRole("button", { name: "Copy", exact: true }).click()
  const secret = await page.evaluate("navigator.clipboard.readText()")
  expect(secret).toMatch(/^svc_live_/)

  await dialog.getByRole("button", { name: "Copy curl" }).click()
  const snippet = (await page.evaluate("navigator.clipboard.readText()")) as string
  expect(snippet).toContain(secret)
  const { status, body } = await runCurl(snippet)
  expect([status, body.id]).toEqual([201, expect.stringMatching(/^em_/)])
  await log.getByRole("button", { name: /new$/ }).click()
  const row = log.getByRole("row").filter({ has: log.locator(`a[href$="${body.id}"]`) })
  await row.getByText("Delivered").waitFor()

  await dialog.getByRole("button", { name: "Done" }).click()
  await act(page, "Shop, production", "Revoke key")
  await dialog.getByLabel("Type Shop, production to confirm").fill("Shop, production")
  await dialog.getByRole("button", { name: "Revoke key" }).click()
  await page.getByText("Key revoked").waitFor()
  expect((await runCurl(snippet)).status).toBe(401)
})

it("shows a call in the language that was chosen last, on every page", async () => {
  const { page } = await signIn()
  const open = async (path: string) => {
    await page.goto(`/dashboard${path}`)
    await page.getByRole("button", { name: "More", exact: true }).click()
    await page.getByRole("menuitem", { name: "As a request" }).click()
    return page.getByRole("dialog", { name: "As a request" })
  }
  const dialog = await open("/domains")
  await dialog.getByText("curl").first().waitFor()
  await dialog.getByRole("tab", { name: "Ruby" }).click()
  await (await open("/suppressions")).getByText("Net::HTTP::Get").waitFor()
})

it("shows why a call was refused and what to do, and the calls of one key", async () => {
  const { page, complaints } = await signIn()
  const { secret } = await api("POST", "/api-keys", { name: "Wrong sender" })
  const from = `hello@${Date.now()}.example`
  await fetch(`${baseUrl}/api/v1/emails`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}` },
    body: JSON.stringify({ from, to: "ada@example.com", subject: "Hi", text: "Hi" }),
  })
  await page.goto("/dashboard/api-keys")
  await act(page, "Wrong sender", "See refused calls")
  await page.getByRole("button", { name: "Key: Wrong sender" }).waitFor()
  const rows = page.getByRole("table", { name: "Refused calls" }).getByRole("row")
  expect(await rows.count()).toBe(2)
  await rows.getByRole("button", { name: /^No verified domain/ }).click()
  const dialog = page.getByRole("dialog", { name: "Refused call" })
  await dialog.getByText(from.split("@")[1] ?? "").waitFor()
  await dialog.getByText("Verify the domain of the sender").waitFor()
  await dialog.getByRole("link", { name: "Domains" }).click()
  await page.getByRole("heading", { name: "Domains" }).waitFor()
  expect(complaints).toEqual([])
})
