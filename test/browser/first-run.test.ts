import { afterAll, beforeAll, expect, it } from "vitest"
import { newClaimCode } from "../../src/worker/access/people/claiming/claim-code.ts"
import { type DevServer, startDevServer } from "../system/dev-server.ts"
import { launchBrowser } from "./person.ts"
import { runCurl } from "./snippet.ts"

const { visit } = launchBrowser()
const PEOPLE = ["users", "accounts", "sessions", "members", "teams", "domains", "api_keys"]

/** A fresh installation: `npm run dev` makes a demo team, which no deployment has. */
let server: DevServer
let code: string
beforeAll(async () => {
  server = await startDevServer()
  const claim = newClaimCode(Date.now())
  code = claim.code
  const values = claim.statement.values.map((value) => `'${value}'`)
  const insert = claim.statement.sql.replaceAll("?", () => values.shift() ?? "null")
  server.execute([...PEOPLE.map((table) => `delete from ${table}`), insert].join(";\n"))
}, 120_000)
afterAll(() => server?.dispose())

it("leads from the claim code to the first email on the screen", async () => {
  const { page, complaints } = await visit({ baseURL: server.credentials.baseUrl })
  await page.goto("/dashboard")
  await page.getByRole("link", { name: "Claim it with the code from the deployment" }).click()
  await page.getByLabel("Claim code").fill("a wrong code")
  await page.getByLabel("Team").fill("First team")
  await page.getByLabel("Your name").fill("Ada")
  await page.getByLabel("Email").fill("ada@first.test")
  await page.getByLabel("Password").fill("correct horse battery")
  await page.getByRole("button", { name: "Claim" }).click()
  await page.getByText("This code is wrong").waitFor()
  await page.getByLabel("Claim code").fill(code)
  await page.getByRole("button", { name: "Claim" }).click()

  await page.getByRole("heading", { level: 1, name: "Send your first email" }).waitFor()
  await page.getByLabel("Domain").fill("test.example.com")
  await page.getByRole("button", { name: "Add domain" }).click()
  await page.getByText("test.example.com is verified.").waitFor()
  await page.getByRole("button", { name: "Create API key" }).click()
  await page.getByText("Waiting for your first email").waitFor()
  await page.getByRole("button", { name: "Copy curl" }).click()
  const { status } = await runCurl(
    (await page.evaluate("navigator.clipboard.readText()")) as string,
  )
  expect(status).toBe(201)
  await page.getByText("Your email arrived").waitFor()
  expect(await page.getByLabel("Done").count()).toBe(3)
  await page.getByRole("link", { name: "Open in test inbox" }).click()
  await page.frameLocator("iframe").getByText("The first email of many.").waitFor()

  const second = await visit({ baseURL: server.credentials.baseUrl })
  await second.page.goto("/dashboard/claim")
  await second.page.getByText("This installation has already been claimed.").waitFor()
  expect(complaints).toEqual([])
})
