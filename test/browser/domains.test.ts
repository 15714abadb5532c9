import AxeBuilder from "@axe-core/playwright"
import { expect, it } from "vitest"
import { act, choose } from "./choose.ts"
import { faultsOf } from "./faults.ts"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const CLOUDFLARE = { name: "Cloudflare", url: "https://dash.cloudflare.com" }

it("adds a domain, shows its records to copy, and deletes it", async () => {
  const { page, complaints } = await signIn()
  // Not verified by the minute's work, which may come at any moment.
  const name = `unverified.mail-${Date.now()}.example.com`
  await page.goto("/dashboard/domains?new=true")
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Domain").fill("no domain")
  await dialog.getByRole("button", { name: "Add domain" }).click()
  await dialog.getByRole("alert").waitFor()
  await dialog.getByLabel("Domain").fill(name)
  await dialog.getByRole("button", { name: "Add domain" }).click()

  await page.getByRole("heading", { name }).waitFor()
  await page.getByText("Step 2 of 3").waitFor()
  const { data } = await api("GET", "/domains")
  const { records } = data.find((one: { name: string }) => one.name === name)
  for (const record of records) await page.getByText(record.value).first().waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  const heads = page.getByText("Value", { exact: true }).filter({ visible: true })
  await expect.poll(() => heads.count(), { timeout: 15_000 }).toBe(records.length)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole("button", { name: "Copy all records" }).click()
  const copied = (await page.evaluate("navigator.clipboard.readText()")) as string
  expect(copied.split("\n")).toHaveLength(records.length)
  const downloading = page.waitForEvent("download")
  await page.getByRole("button", { name: "Zone file" }).click()
  expect((await downloading).suggestedFilename()).toBe(`${name}.zone`)

  await page.getByRole("button", { name: "More", exact: true }).click()
  await page.getByRole("menuitem", { name: "Delete domain" }).click()
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await dialog.getByRole("button", { name: "Delete domain" }).click()
  await page.getByRole("heading", { name: "Domains" }).waitFor()
  await page.getByText(name).waitFor({ state: "detached" })
  expect(complaints).toEqual([])
})

it("checks a domain again when somebody asks for it", async () => {
  const { page } = await signIn()
  const { id } = await api("POST", "/domains", { name: `mail-${Date.now()}.example.com` })
  await page.goto(`/dashboard/domains/${id}`)
  const again = page.getByRole("button", { name: "Check again" })
  const verified = page.getByText("You can send from this domain")
  // The minute's work may have been there before.
  await again.or(verified).first().waitFor()
  if (!(await verified.isVisible())) await again.click()
  await verified.waitFor()
  expect((await api("GET", `/domains/${id}`)).status).toBe("verified")
})

it("adds the records to a zone at Cloudflare that the installation's token sees", async () => {
  const { page, complaints } = await signIn()
  const name = `unverified.zone-${Date.now()}.example.com`
  const { id } = await api("POST", "/domains", { name })
  // The sandbox has no zones: the replies are those of a provider's installation.
  const zone = { name: "example.com", nameServers: ["ada.ns.cloudflare.com"], host: CLOUDFLARE }
  await page.route(`**/dashboard/api/domains/${id}/dns`, async (route) => {
    if (route.request().method() === "POST") {
      return route.fulfill({ json: { isInAccount: true, added: 1 } })
    }
    const reply = await route.fetch()
    const shown = { ...(await reply.json()), simulated: false, zone, isInAccount: true }
    return route.fulfill({ json: shown })
  })
  await page.goto(`/dashboard/domains/${id}`)
  await page.getByText("Existing records stay.").waitFor()
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations).toEqual([])
  await page.getByRole("button", { name: "Add to Cloudflare" }).click()
  await page.getByText("1 record added.").waitFor()
  expect(complaints).toEqual([])
})

it("turns receiving on, and creates, changes and deletes an inbox", async () => {
  const { page, complaints } = await signIn()
  const name = `receiving-${Date.now()}.example.com`
  const { id } = await api("POST", "/domains", { name })
  await api("POST", `/domains/${id}/verify`)
  await page.goto(`/dashboard/domains/${id}`)
  await choose(page.getByRole("combobox", { name: "How mail arrives" }), "Forwarding")
  await page.getByText("Receiving turned on").waitFor()
  await page.getByRole("button", { name: "Create inbox" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Address").fill("help@elsewhere.example")
  await dialog.getByRole("button", { name: "Create inbox" }).click()
  await dialog.getByText("The team has no domain 'elsewhere.example' that receives").waitFor()
  await dialog.getByLabel("Address").fill(`help@${name}`)
  expect(await faultsOf(page)).toEqual([])
  await dialog.getByRole("button", { name: "Create inbox" }).click()
  await page.getByText("Inbox created").waitFor()
  const [inbox] = (await api("GET", "/inboxes")).data
  await page.getByText(inbox.forwardingAddress).waitFor()
  await act(page, inbox.address, "Edit")
  await dialog.getByLabel("Keep mail for").fill("30")
  await dialog.getByRole("button", { name: "Save" }).click()
  await page.getByText("30 days").first().waitFor()
  await act(page, inbox.address, "Delete")
  await dialog.getByLabel(`Type ${inbox.address} to confirm`).fill(inbox.address)
  await dialog.getByRole("button", { name: "Delete inbox" }).click()
  await page.getByText("No inboxes on this domain yet").waitFor()
  await page.goto(`/dashboard/domains/${id}?inbox=${inbox.id}`)
  await page.getByRole("dialog", { name: "Inbox not found" }).waitFor()
  await page.goto(`/dashboard/topics?topic=${inbox.id}`)
  await page.getByRole("dialog", { name: "Topic not found" }).waitFor()
  expect(complaints).toEqual([])
})
