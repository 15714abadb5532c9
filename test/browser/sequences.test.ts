import AxeBuilder from "@axe-core/playwright"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { act, choose } from "./choose.ts"
import { focused, tabTo } from "./keyboard.ts"
import { api, isLoaded, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const send = (key: string, subject: string) => ({
  ...{ key, kind: "send", subject },
  blocks: [{ kind: "text", html: "Good that you are here." }],
})

async function makeSequence(steps: object[]) {
  const book = await api("POST", "/contact-books", { name: `Readers ${Date.now()}` })
  const { data: domains } = await api("GET", "/domains")
  const domain = domains.find(({ status }: { status: string }) => status === "verified")
  const sequence = await api("POST", "/sequences", {
    name: "Onboarding",
    ...{ bookId: book.id, domainId: domain.id, from: `News <news@${domain.name}>` },
    trigger: { on: "call" },
    steps,
  })
  return { id: sequence.id as string, bookId: book.id as string }
}

/** Starts it for people, and waits until each of them is in the step. */
async function enter({ id, bookId }: { id: string; bookId: string }, step: string) {
  const add = (name: string) =>
    api("POST", `/contact-books/${bookId}/contacts`, { email: `${name}@sequences.example.com` })
  const contactIds = [(await add("ada")).id, (await add("grace")).id]
  await api("POST", `/sequences/${id}/activate`)
  await api("POST", `/sequences/${id}/contacts`, { contactIds })
  await expect
    .poll(async () => (await api("GET", `/sequences/${id}/steps`))[step].waiting, {
      timeout: 60_000,
    })
    .toBe(contactIds.length)
}

const isSaved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor()

/** Takes an item of the menu that has just been opened. */
async function take(page: Page, label: string) {
  await page.getByRole("menuitem", { name: label, exact: true }).waitFor()
  await page.keyboard.type(label.slice(0, 6))
  await page.keyboard.press("Enter")
}

it("by keyboard alone, an empty sequence becomes an active one", async () => {
  const { page, complaints } = await signIn()
  const { id } = await makeSequence([])
  await page.goto(`/dashboard/sequences/${id}`)
  await page.getByRole("button", { name: "Add the first step" }).waitFor()

  await tabTo(page, "Add the first step")
  await page.keyboard.press("Enter")
  await take(page, "Email")
  await expect.poll(() => focused(page)).toBe("Subject")
  await page.keyboard.type("Welcome")
  await tabTo(page, "Edit content")
  await page.keyboard.press("Enter")
  await page.locator("[data-canvas] [contenteditable=true]").waitFor()
  await tabTo(page, "Text")
  await page.keyboard.type("Good that you are here.")
  await isSaved(page)
  await page.getByRole("button", { name: "Back to the steps" }).focus()
  await page.keyboard.press("Enter")
  await expect.poll(() => focused(page)).toMatch(/^Welcome/)

  await tabTo(page, "Add a step after Welcome")
  await page.keyboard.press("Enter")
  await take(page, "Wait")
  await expect.poll(() => focused(page)).toBe("Wait")
  await page.keyboard.press("Escape")
  await expect.poll(() => focused(page)).toBe("Wait 1 day")
  await page.keyboard.press("Alt+ArrowUp")
  const order = () => page.locator("[data-handle] [data-title]").allTextContents()
  await expect.poll(order).toEqual(["Wait 1 day", "Welcome"])
  await page.keyboard.press("Control+z")
  await expect.poll(order).toEqual(["Welcome", "Wait 1 day"])
  await expect.poll(() => focused(page)).toBe("Wait 1 day")
  await page.keyboard.press("ArrowUp")
  await expect.poll(() => focused(page)).toMatch(/^Welcome/)
  await page.keyboard.press("Delete")
  await expect.poll(order).toEqual(["Wait 1 day"])
  await page.keyboard.press("Control+z")
  await expect.poll(order).toEqual(["Welcome", "Wait 1 day"])
  await isSaved(page)

  await page.getByRole("button", { name: "Activate" }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("dialog").waitFor()
  await tabTo(page, "Activate sequence")
  await page.keyboard.press("Enter")
  await page.getByText("Active", { exact: true }).waitFor()
  expect(await api("GET", `/sequences/${id}`)).toMatchObject({
    status: "active",
    steps: [
      { kind: "send", subject: "Welcome", blocks: [{ html: "Good that you are here." }] },
      { kind: "wait", for: "1d" },
    ],
  })
  expect(complaints).toEqual([])
})

it("shows who waits in a step and why, lets one skip it and ends another", async () => {
  const { page, complaints } = await signIn()
  const made = await makeSequence([{ key: "pause", kind: "wait", for: "3d" }, send("hi", "Hi")])
  await enter(made, "pause")
  await page.goto(`/dashboard/sequences/${made.id}`)
  await page.getByRole("button", { name: /^2 waiting.* in Wait 3 days/ }).click()
  const rows = page.getByRole("table", { name: "People" }).getByRole("row")
  await rows
    .filter({ hasText: "ada@sequences.example.com" })
    .getByText(/Continues/)
    .waitFor()
  const url = new URL(page.url())
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ tab: "People", step: "pause", state: "waiting" },
  })
  await page.reload()
  await rows.filter({ hasText: "grace@sequences.example.com" }).waitFor()
  await act(page, "ada@sequences.example.com", "Skip this step")
  const dialog = page.getByRole("dialog")
  await dialog.getByText("Skip “Wait 3 days” for ada@sequences.example.com?").waitFor()
  await dialog.getByRole("button", { name: "Skip this step" }).click()
  await dialog.waitFor({ state: "detached" })
  await act(page, "grace@sequences.example.com", "End for this person")
  await dialog.getByText("End the sequence for grace@sequences.example.com?").waitFor()
  await dialog.getByRole("button", { name: "End for this person" }).click()
  await page.getByText("Nobody here").waitFor()
  const runs = (await api("GET", `/sequences/${made.id}/runs`)).data
  expect(runs.map(({ endedBy }: { endedBy: string }) => endedBy)).toContain("person")
  expect(complaints).toEqual([])
})

it("takes people off a list that they have left, without a reload", async () => {
  const { page } = await signIn()
  const made = await makeSequence([{ key: "pause", kind: "wait", for: "3d" }, send("hi", "Hi")])
  await enter(made, "pause")
  await page.goto(`/dashboard/sequences/${made.id}?tab=People&state=waiting`)
  const rows = page.getByRole("table", { name: "People" }).getByRole("row")
  await expect.poll(() => rows.count()).toBe(3)
  const [{ id }] = (await api("GET", `/sequences/${made.id}/runs`)).data
  await api("POST", `/runs/${id}/end`)
  await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(2)
  const person = { email: "edsger@sequences.example.com" }
  const contact = await api("POST", `/contact-books/${made.bookId}/contacts`, person)
  await api("POST", `/sequences/${made.id}/contacts`, { contactIds: [contact.id] })
  const waiting = page.getByRole("button", { name: "1 new" })
  await waiting.waitFor()
  const [run] = (await api("GET", `/sequences/${made.id}/runs?contactId=${contact.id}`)).data
  await api("POST", `/runs/${run.id}/end`)
  await waiting.waitFor({ state: "detached" })
}, 90_000)

it("looks further back for people in a state, and sees there that they have left it", async () => {
  const { page } = await signIn()
  const { id, bookId } = await makeSequence([{ key: "pause", kind: "wait", for: "3d" }])
  await api("POST", `/sequences/${id}/activate`)
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const held = {
    ...{ id: "run_1", sequenceId: id, sequenceName: "Onboarding", version: 1, bookId },
    ...{ contactId: "ct_1", email: "ada@sequences.example.com", startedAt: hoursAgo(2) },
    ...{ stepKey: "pause", state: "held", heldReason: "The template is gone", dueAt: null },
    ...{ waitsFor: null, endedBy: null, endedAt: null },
  }
  let isHeld = true
  await page.route(/\/run-rows\?/, (route) => {
    const found = isHeld
      ? { data: [held], nextCursor: null }
      : { data: [], nextCursor: "next", searchedUntil: hoursAgo(3) }
    const isFurther = new URL(route.request().url()).searchParams.has("cursor")
    const newest = { data: [], nextCursor: "next", searchedUntil: hoursAgo(1) }
    return route.fulfill({ json: isFurther ? found : newest })
  })
  await page.goto(`/dashboard/sequences/${id}?tab=People&state=held`)
  await page.getByRole("table", { name: "People" }).getByText(held.email).waitFor()
  isHeld = false
  await page.getByText("Nobody here").waitFor({ timeout: 20_000 })
})

it("tells whom a change moves before it is saved, and asks before it is lost", async () => {
  const { page, complaints } = await signIn()
  const made = await makeSequence([{ key: "pause", kind: "wait", for: "3d" }, send("hi", "Hi")])
  await enter(made, "pause")
  await page.goto(`/dashboard/sequences/${made.id}`)
  await act(page, "Wait 3 days", "Delete")
  await page.getByRole("tab", { name: "People" }).click()
  await page.getByRole("table", { name: "People" }).waitFor()
  await page.getByRole("tab", { name: "Steps" }).click()
  await page.getByRole("link", { name: "Sequences", exact: true }).first().click()
  await page.getByRole("button", { name: "Stay" }).click()
  await page.getByRole("button", { name: "Review changes" }).click()
  await page.getByText("2 people move from “Wait 3 days” to “Hi”.").waitFor()
  expect((await api("GET", `/sequences/${made.id}`)).version).toBe(1)
  await page.getByRole("button", { name: "Save version 2" }).click()
  const stored = () => api("GET", `/sequences/${made.id}`)
  await expect.poll(async () => (await stored()).version, { timeout: 20_000 }).toBe(2)
  expect((await stored()).steps).toMatchObject([{ key: "hi" }])
  await page.getByRole("button", { name: "Review changes" }).waitFor({ state: "detached" })
  expect(complaints).toEqual([])
})

it("plays a sequence through for somebody who opens a mail", async () => {
  const { page, complaints } = await signIn()
  const filter = { all: [{ activity: "opened" }] }
  const { id } = await makeSequence([
    send("hi", "Hi"),
    { key: "pause", kind: "wait", for: "1d" },
    {
      ...{ key: "paths", kind: "branch" },
      cases: [{ filter, steps: [send("yes", "You read it")] }],
      else: [send("no", "Once more")],
    },
  ])
  await page.goto(`/dashboard/sequences/${id}`)
  await page.getByRole("button", { name: "Try it" }).click()
  const moments = page.getByRole("list", { name: "What happens" })
  await moments.getByText("Once more", { exact: true }).waitFor()
  await page.getByRole("button", { name: "Add an action" }).click()
  await moments.getByText("You read it", { exact: true }).waitFor()
  await page.getByRole("slider").focus()
  await page.keyboard.press("Home")
  await page.getByText("Moment 1 of 4").waitFor()
  expect(await moments.locator("[aria-current=step]").textContent()).toContain("Hi")
  let simulations = 0
  page.on("request", (request) => {
    if (request.url().endsWith("/simulate")) simulations++
  })
  await page.getByLabel("When", { exact: true }).click()
  await page.getByRole("button", { name: "Clear", exact: true }).click()
  await page.waitForTimeout(2_000)
  expect(simulations).toBeLessThan(3)
  expect(complaints).toEqual([])
})

it("keeps what two people change, and takes steps as code", async () => {
  const { page, complaints } = await signIn()
  const { id } = await makeSequence([send("hi", "Hi")])
  await page.goto(`/dashboard/sequences/${id}`)
  await page.getByRole("button", { name: "Hi Email", exact: true }).click()
  await api("PATCH", `/sequences/${id}`, { version: 1, name: "By somebody else" })
  await page.getByLabel("Subject", { exact: true }).fill("Hello")
  await page.getByText("Someone else changed this sequence.").waitFor()
  expect((await api("GET", `/sequences/${id}`)).steps[0].subject).toBe("Hi")
  const refused = page.waitForResponse((reply) => reply.status() === 409)
  await page.getByRole("button", { name: "Activate" }).click()
  await refused
  await page.getByText("Someone else changed this sequence.").waitFor()
  expect(await page.getByRole("dialog").count()).toBe(0)
  await page.getByRole("button", { name: "Save mine over theirs" }).click()
  await expect
    .poll(async () => (await api("GET", `/sequences/${id}`)).steps[0].subject)
    .toBe("Hello")

  await page.getByRole("tab", { name: "Code" }).click()
  const code = page.getByRole("textbox", { name: "Steps as JSON" })
  await code.fill('[{"key": "wait", "kind": "wait", "for": "1x"}]')
  await page.getByText(/^Not applied: 0.for/).waitFor()
  await code.fill('[{"key": "wait", "kind": "wait", "for": "2h"}]')
  await page.getByRole("tab", { name: "Steps" }).click()
  await page.getByRole("button", { name: "Wait 2 hours", exact: true }).waitFor()
  expect(complaints).toEqual([])
})

it.each(["light", "dark"] as const)(
  "in the %s theme, axe finds nothing, and a phone fits",
  async (theme) => {
    const { page, complaints } = await signIn({ theme })
    const made = await makeSequence([
      send("hi", "Hi"),
      {
        ...{ key: "paths", kind: "split" },
        parts: [
          { weight: 1, steps: [{ key: "pause", kind: "wait", for: "3d" }] },
          { weight: 1, steps: [{ key: "later", kind: "wait", until: { time: "09:00" } }] },
        ],
      },
    ])
    const isFine = async () =>
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
    await page.goto(`/dashboard/sequences/${made.id}`)
    await page.getByRole("button", { name: "Wait 3 days", exact: true }).click()
    await isLoaded(page)
    await isFine()
    await page.getByRole("button", { name: "Try it" }).click()
    await page.getByRole("list", { name: "What happens" }).waitFor()
    await isFine()
    for (const tab of ["Settings", "Code"]) {
      await page.getByRole("tab", { name: tab }).click()
      await isFine()
    }
    await page.setViewportSize({ width: 390, height: 844 })
    const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    for (const tab of ["Steps", "Settings", "Code"]) {
      await page.getByRole("tab", { name: tab }).click()
      expect(await page.evaluate(isWider), tab).toBe(false)
    }
    await page.getByRole("tab", { name: "Steps" }).click()
    await page.getByRole("button", { name: "Wait 3 days", exact: true }).click()
    await choose(page.getByRole("dialog").getByLabel("Unit of time"), "hours")
    await isFine()
    expect(complaints).toEqual([])
  },
)
