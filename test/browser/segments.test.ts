import AxeBuilder from "@axe-core/playwright"
import { expect, it } from "vitest"
import { act, choose, chooseDay } from "./choose.ts"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

async function makeBook() {
  const book = await api("POST", "/contact-books", { name: `Readers ${Date.now()}` })
  const people = [
    ["ada", { city: "London", age: 36 }],
    ["grace", { city: "London", age: 85 }],
    ["alan", { city: "Paris", age: 41 }],
  ] as const
  for (const [name, properties] of people) {
    const email = `${name}@segments.example.com`
    await api("POST", `/contact-books/${book.id}/contacts`, { email, properties })
  }
  return book
}

it("builds a segment of conditions and groups, counts it and lists its contacts", async () => {
  const { page, complaints } = await signIn()
  const book = await makeBook()
  await page.goto("/dashboard/segments?new=true")
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name", { exact: true }).fill("Old Londoners")
  await choose(dialog.getByLabel("Contact book"), book.name)
  const condition = (label: string) => dialog.getByRole("group", { name: label, exact: true })
  await choose(condition("Condition 1").getByLabel("About"), "Property city")
  await dialog.getByText("Complete the conditions").waitFor()
  await condition("Condition 1").getByLabel("Value").fill("london")
  await dialog.getByText("2 contacts match, 2 can be mailed").waitFor()

  await dialog.getByRole("button", { name: "Add condition", exact: true }).click()
  await choose(condition("Condition 2").getByLabel("About"), "Property age")
  await choose(condition("Condition 2").getByLabel("Comparison"), "is above")
  await condition("Condition 2").getByLabel("Value").fill("many")
  await dialog.getByRole("button", { name: "Create segment" }).click()
  await condition("Condition 2").getByText("Enter a number").waitFor()
  expect(await condition("Condition 1").getByRole("alert").count()).toBe(0)
  await condition("Condition 2").getByLabel("Value").fill("80")

  await dialog.getByRole("button", { name: "Add group" }).click()
  const inGroup = condition("Group 3, condition 1")
  await choose(inGroup.getByLabel("About"), "Opened a campaign or sequence")
  await choose(inGroup.getByLabel("How often"), "never")
  await choose(inGroup.getByLabel("Period"), "In the last 30 days")
  await dialog.getByRole("button", { name: "Add condition to group" }).click()
  await choose(condition("Group 3, condition 2").getByLabel("About"), "Added")
  await dialog.getByRole("button", { name: "Create segment" }).click()
  await condition("Group 3, condition 2").getByRole("alert").waitFor()
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  const isWider = "document.querySelector('[role=dialog]').scrollWidth > 390 - 32"
  expect(await page.evaluate(isWider)).toBe(false)
  await page.setViewportSize({ width: 1440, height: 900 })
  const today = new Date().toISOString().slice(0, 10)
  await chooseDay(condition("Group 3, condition 2").getByLabel("Value"), today)
  await dialog.getByRole("button", { name: "Create segment" }).click()

  await page.getByRole("heading", { name: "Old Londoners" }).waitFor()
  const id = page.url().split("/").at(-1)
  expect((await api("GET", `/segments/${id}`)).filter).toEqual({
    all: [
      { field: "properties.city", op: "is", value: "london" },
      { field: "properties.age", op: "above", value: 80 },
      {
        any: [
          { activity: "opened", withinDays: 30, not: true },
          { field: "createdAt", op: "before", value: today },
        ],
      },
    ],
  })
  await page.getByText(/1 contact, \d can be mailed, counted/).waitFor()
  await page.getByText("city is “london”").waitFor()
  const rows = page.getByRole("table", { name: "Contacts" }).getByRole("row")
  await rows.nth(1).getByText("grace@segments.example.com").waitFor()
  expect(await rows.count()).toBe(2)
  expect(complaints).toEqual([])
})

it("renames a segment without counting it again, changes its conditions and deletes it", async () => {
  const { page, complaints } = await signIn()
  const book = await makeBook()
  const filter = { any: [{ field: "email", op: "isNot", value: "" }] }
  const { id } = await api("POST", "/segments", { bookId: book.id, name: "Everyone", filter })
  await page.goto(`/dashboard/segments/${id}`)
  await page.getByText(/3 contacts, \d can be mailed, counted/).waitFor()
  const { countedAt } = await api("GET", `/segments/${id}`)

  await page.getByRole("button", { name: "Edit segment" }).click()
  await page.getByLabel("Name", { exact: true }).fill("All of them")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("heading", { name: "All of them" }).waitFor()
  expect(await api("GET", `/segments/${id}`)).toMatchObject({ filter, countedAt })

  await page.getByRole("button", { name: "Edit segment" }).click()
  await choose(page.getByLabel("Comparison"), "starts with")
  await page.getByLabel("Value").fill("a")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText(/2 contacts, \d can be mailed, counted/).waitFor()

  await act(page, /^More$/, "Delete segment")
  await page.getByLabel("Type All of them to confirm").fill("All of them")
  await page.getByRole("button", { name: "Delete segment" }).click()
  await page.getByRole("heading", { name: "Segments" }).waitFor()
  expect(complaints).toEqual([])
})

it("sends a campaign to a segment of its book and says so in the report", async () => {
  const { page, complaints } = await signIn()
  const book = await makeBook()
  const name = `Londoners ${Date.now()}`
  const filter = { all: [{ field: "properties.city", op: "is", value: "London" }] }
  await api("POST", "/segments", { bookId: book.id, name, filter })
  const { data: domains } = await api("GET", "/domains")
  const domain = domains.find(({ status }: { status: string }) => status === "verified")
  const campaign = await api("POST", "/campaigns", {
    name: "To a segment",
    bookId: book.id,
    domainId: domain.id,
    from: `News <news@${domain.name}>`,
    subject: "Hello",
    blocks: [{ kind: "text", html: "Hi" }],
  })
  await page.goto(`/dashboard/campaigns/${campaign.id}`)
  await page.getByText("Recipients and sender").click()
  await page.getByText("3 contacts will receive it").waitFor()
  await page.getByLabel("Segment").click()
  await page.getByRole("option", { name: new RegExp(name) }).click()
  await page.getByText("2 contacts will receive it").waitFor()
  await page.getByRole("button", { name: "Review and send" }).click()
  await page.getByRole("list", { name: "Checks" }).getByText("2 contacts").waitFor()
  await page.getByRole("button", { name: "Send campaign now" }).click()
  await page.getByLabel("Type To a segment to confirm").fill("To a segment")
  await page.getByRole("button", { name: "Send campaign now" }).click()
  await page.getByRole("link", { name }).waitFor()
  expect(await api("GET", `/campaigns/${campaign.id}`)).toMatchObject({ bookId: book.id })
  expect(complaints).toEqual([])
})
