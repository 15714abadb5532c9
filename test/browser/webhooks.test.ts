import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { verifyWebhook } from "../../src/client/verify-webhook.ts"
import { executeOn } from "../system/dev-server.ts"
import { choose } from "./choose.ts"
import { api, isLive, launchBrowser } from "./person.ts"
import { startReceiver } from "./receiver.ts"

const { signIn } = launchBrowser()

let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver?.close())

const send = (subject: string) =>
  api("POST", "/emails", {
    from: "hello@demo.test",
    to: "success@simulator.amazonses.com",
    subject,
    text: "Hi",
  })

const SOON = { timeout: 20_000 }

const callsAbout = (id: string) => receiver.calls.filter(({ body }) => body.includes(id))

it("shows what a failing receiver answered, replays, catches up and rotates the secret", async () => {
  const { page } = await signIn()
  const menu = async (item: string) => {
    await page.getByRole("button", { name: "More", exact: true }).click()
    await page.getByRole("menuitem", { name: item }).click()
  }
  const dialog = page.getByRole("dialog")

  receiver.answer(500, "the disk is full")
  await page.goto("/dashboard/webhooks?new=true")
  await dialog.getByText("http and localhost also work").waitFor()
  await dialog.getByLabel("URL").fill(receiver.url)
  await dialog.getByLabel("Name").fill("Billing")
  await dialog.getByRole("button", { name: "Add webhook" }).click()
  await dialog.getByText("Copy it now").waitFor()
  const first = await dialog.getByText(/^whsec_/).innerText()
  await dialog.getByRole("button", { name: "Send test" }).click()
  await choose(dialog.getByLabel("Event"), 'Minimal: {"test": true}')
  await dialog.getByRole("button", { name: "Send test" }).click()
  await dialog.getByText("HTTP 500").waitFor()
  await dialog.getByRole("link", { name: "Open the delivery" }).click()
  await page.getByText("the disk is full").waitFor()
  await page.getByRole("link", { name: "Billing" }).waitFor()
  await page.getByText("Retrying").first().waitFor()

  receiver.answer(200, "thank you")
  await page.getByRole("button", { name: "Replay" }).click()
  await page.getByText("Succeeded").first().waitFor()
  await page.getByText("thank you").waitFor()
  const replayed = receiver.calls.at(-1) as (typeof receiver.calls)[number]
  expect(await verifyWebhook(replayed, first)).toMatchObject({ data: { test: true } })

  await page.getByRole("link", { name: "Webhook", exact: true }).click()
  const deliveries = page.getByRole("table", { name: "Deliveries" }).getByRole("link")
  // The replay is read with the list, or the stream announces it.
  const announced = page.getByRole("button", { name: /new$/ })
  await deliveries.nth(1).or(announced).first().waitFor()
  if (await announced.isVisible()) await announced.click()
  await deliveries.nth(1).waitFor()
  await choose(page.getByLabel("State", { exact: true }), "Pending")
  await expect.poll(() => deliveries.count()).toBe(1)
  await page.getByRole("row").getByText("Retrying").waitFor()
  await choose(page.getByLabel("State", { exact: true }), "Failed")
  await page.getByText("No deliveries in this state").waitFor()
  expect(page.url()).toContain("state=failed")
  await page.getByRole("button", { name: "Show all deliveries" }).click()
  await deliveries.nth(1).waitFor()

  await menu("Disable webhook")
  await page.getByRole("button", { name: "Enable webhook" }).waitFor()
  // The message stays while somebody points at it.
  await page.getByRole("button", { name: "Undo" }).hover()
  const { id: meanwhile } = await send("Sent before the undo")
  await expect
    .poll(async () => (await api("GET", `/emails/${meanwhile}`)).status, SOON)
    .toBe("delivered")
  await page.getByRole("button", { name: "Undo" }).click()
  await page.getByRole("button", { name: "Send test" }).waitFor()
  await expect.poll(() => callsAbout(meanwhile), SOON).toHaveLength(1)
  await menu("Disable webhook")
  await page.getByRole("button", { name: "Enable webhook" }).waitFor()
  const { id } = await send("Missed while disabled")
  const status = async () => (await api("GET", `/emails/${id}`)).status
  await expect.poll(status, SOON).toBe("delivered")
  await page.getByRole("button", { name: "Enable webhook" }).click()
  expect(callsAbout(id)).toEqual([])
  await menu("Catch up")
  await dialog.getByRole("button", { name: "Catch up" }).click()
  await page.getByText(/deliver(y|ies) queued/).waitFor()
  await expect.poll(() => callsAbout(id), SOON).toHaveLength(1)

  await menu("Rotate signing secret")
  await dialog.getByRole("button", { name: "Rotate secret" }).click()
  await dialog.getByText("Copy it now").waitFor()
  const second = await dialog.getByText(/^whsec_/).innerText()
  await dialog.getByRole("button", { name: "Done" }).click()
  const { id: after } = await send("Signed by both")
  await expect.poll(() => callsAbout(after), SOON).toHaveLength(1)
  const [call] = callsAbout(after)
  for (const secret of [first, second]) {
    expect(await verifyWebhook(call as typeof replayed, secret)).toMatchObject({
      type: "email.delivered",
    })
  }
})

it("saves only what was changed in a form, since somebody else may have changed the rest", async () => {
  const { page } = await signIn()
  const dialog = page.getByRole("dialog")
  const { id } = await api("POST", "/webhooks", {
    url: receiver.url,
    events: ["email.delivered", "email.bounced"],
  })
  const path = `/webhooks/${id}`
  await page.goto(`/dashboard${path}`)
  await page.getByRole("button", { name: "Edit" }).click()
  await dialog.getByLabel("URL").waitFor()
  await api("PATCH", path, { events: ["email.sent"] })
  await dialog.getByLabel("URL").fill(`${receiver.url}/new`)
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  expect(await api("GET", path)).toMatchObject({
    url: `${receiver.url}/new`,
    events: ["email.sent"],
  })
  await page.getByRole("button", { name: "Edit" }).click()
  await dialog.getByLabel("URL").waitFor()
  await api("PATCH", path, { url: receiver.url })
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  expect((await api("GET", path)).url).toBe(receiver.url)

  const book = await api("POST", "/contact-books", { name: "Readers" })
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByRole("button", { name: "More", exact: true }).click()
  await page.getByRole("menuitem", { name: "Edit book" }).click()
  await dialog.getByLabel("Name").waitFor()
  await dialog.getByRole("button", { name: "More", exact: true }).click()
  await page.getByRole("menuitem", { name: "As a request" }).click()
  const request = page.getByRole("dialog", { name: "As a request" })
  await request.getByText('"name": "Readers"').waitFor()
  await page.keyboard.press("Escape")
  await api("PATCH", `/contact-books/${book.id}`, { defaultFrom: "news@demo.test" })
  await dialog.getByLabel("Name").fill("All readers")
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  expect(await api("GET", `/contact-books/${book.id}`)).toMatchObject({
    name: "All readers",
    defaultFrom: "news@demo.test",
  })
})

it("undoes a disabling without a gap, also on a device whose clock is ahead", async () => {
  const { page } = await signIn()
  const own = await startReceiver()
  await page.addInitScript("const { now } = Date; Date.now = () => now() + 60_000")
  const { id } = await api("POST", "/webhooks", { url: own.url, events: ["email.delivered"] })
  await page.goto(`/dashboard/webhooks/${id}`)
  await page.getByRole("button", { name: "More", exact: true }).click()
  await page.getByRole("menuitem", { name: "Disable webhook" }).click()
  await page.getByRole("button", { name: "Enable webhook" }).waitFor()
  // The message stays while somebody points at it.
  await page.getByRole("button", { name: "Undo" }).hover()
  const { id: meanwhile } = await send("Sent by a clock behind")
  await expect
    .poll(async () => (await api("GET", `/emails/${meanwhile}`)).status, SOON)
    .toBe("delivered")
  await page.getByRole("button", { name: "Undo" }).click()
  await expect.poll(() => own.calls.map(({ body }) => body).join(), SOON).toContain(meanwhile)
  own.close()
})

it("shows that a retry succeeded also in a list of pending deliveries", async () => {
  const { page } = await signIn()
  const own = await startReceiver()
  own.answer(500, "down")
  const { id } = await api("POST", "/webhooks", { url: own.url, events: ["email.delivered"] })
  const { deliveryId } = await api("POST", `/webhooks/${id}/test`)
  const attempts = async () => (await api("GET", `/deliveries/${deliveryId}`)).attemptCount
  await expect.poll(attempts, SOON).toBe(1)
  const live = isLive(page)
  await page.goto(`/dashboard/webhooks/${id}?state=pending`)
  await page.getByRole("row").getByText("Retrying").waitFor()
  await live
  own.answer(200, "up")
  executeOn(
    inject("state"),
    `update deliveries set state = 'succeeded', due_at = null where id = '${deliveryId}'`,
  )
  await api("POST", `/webhooks/${id}/test`)
  await page.getByRole("row").getByText("Succeeded").waitFor()
  own.close()
})
