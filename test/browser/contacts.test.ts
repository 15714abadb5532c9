import { readFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { choose } from "./choose.ts"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const CSV = `Mail,Given name,City,Notes,Product news
ada@import.test,Ada,London,first,false
grace@import.test,Grace,"New York, NY",second,true
not an address,Nobody,Nowhere,third,
ada@import.test,Ada,Paris,fourth,
`

it("imports a file: columns are mapped, counted, stored, and errors downloaded", async () => {
  const { page, complaints } = await signIn()
  const book = await api("POST", "/contact-books", { name: `Readers ${Date.now()}` })
  const topic = await api("POST", "/topics", { name: `News ${Date.now()}` })
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByRole("link", { name: "Import" }).first().click()
  await page
    .getByLabel("File")
    .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) })

  const target = (column: string) => page.getByLabel(`${column} becomes`)
  expect(await target("Mail").innerText()).toBe("Address")
  expect(await target("Given name").innerText()).toBe("First name")
  expect(await target("City").innerText()).toBe("Property")
  await choose(target("Notes"), "Skip")
  await choose(target("Product news"), `Topic: ${topic.name}`)
  await page.getByLabel("Name of the property for City").fill("town")

  await page.getByRole("button", { name: "Preview import" }).click()
  await page.getByRole("heading", { name: "Preview" }).waitFor()
  await page.getByText("1 row, by a later row with the same address").waitFor()
  expect(await page.getByRole("list", { name: "Skipped rows" }).innerText()).toMatch(
    /Line 4.*not an address/s,
  )
  expect((await api("GET", `/contact-books/${book.id}`)).contactCount).toBe(0)

  await page.getByRole("button", { name: "Import contacts" }).click()
  await page.getByRole("heading", { name: "Import finished" }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download errors as CSV" }).click(),
  ])
  expect(await readFile(await download.path(), "utf8")).toMatch(/^line,email,message\r?\n4,/)

  const { data } = await api("GET", `/contact-books/${book.id}/contacts`)
  expect(data).toHaveLength(2)
  expect(data).toContainEqual(
    expect.objectContaining({
      email: "grace@import.test",
      firstName: "Grace",
      properties: { town: "New York, NY" },
      topics: { [topic.id]: true },
    }),
  )
  await page.getByRole("link", { name: `Go to ${book.name}` }).click()
  await page.getByText("grace@import.test").waitFor()
  expect(complaints).toEqual([])
})

it("asks what an unknown value of consent means, and before the file is left", async () => {
  const { page, context, complaints } = await signIn()
  const book = await api("POST", "/contact-books", { name: "Consent" })
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByRole("link", { name: "Import" }).first().click()
  const csv = "mail;state\nyes@import.test;active\nno@import.test;cancelled\nold@import.test;gold\n"
  await page
    .getByLabel("File")
    .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) })
  await page.getByText("Choose what each value of “state” means.").waitFor()
  await page.goBack()
  const asked = page.getByRole("dialog", { name: "Leave without importing the file?" })
  await asked.getByRole("button", { name: "Stay" }).click()
  await asked.waitFor({ state: "detached" })
  await choose(page.getByLabel("gold in state means"), "Unsubscribed")

  const cookies = await context.cookies()
  await context.clearCookies()
  await page.getByRole("button", { name: "Preview import" }).click()
  await page.getByText("Your session has ended. Your changes are still here.").waitFor()
  await context.addCookies(cookies)
  await page.getByRole("button", { name: "Preview import" }).click()
  await page.getByText("1 of the added contacts").waitFor()
  await page.getByRole("button", { name: "Import contacts" }).click()
  await page.getByRole("heading", { name: "Import finished" }).waitFor()
  const { data } = await api("GET", `/contact-books/${book.id}/contacts?subscribed=true`)
  expect(data.map(({ email }: { email: string }) => email)).toEqual(["yes@import.test"])
  await page.getByRole("link", { name: "Go to Consent" }).click()
  await page.getByText("old@import.test").waitFor()
  expect(complaints).toEqual([])
})

it("saves no property without its number, and none under a name that is used", async () => {
  const { page, complaints } = await signIn({ locale: "de-DE" })
  const book = await api("POST", "/contact-books", { name: "Wrong properties" })
  const contacts = `/contact-books/${book.id}/contacts`
  const properties = { plan: "gold" }
  const { id } = await api("POST", contacts, { email: "ada@wrong.test", properties })
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByRole("link", { name: "ada@wrong.test" }).click()
  const dialog = page.getByRole("dialog", { name: "ada@wrong.test" })
  await choose(dialog.getByLabel("Type of plan"), "number")
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.getByText("Enter a number", { exact: true }).waitFor()
  await dialog.getByLabel("Value of plan").fill("3,5")
  await dialog.getByRole("button", { name: "Add a property" }).click()
  await dialog.getByLabel("Property name").last().fill("plan")
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.getByText("Already used above", { exact: true }).waitFor()
  expect(await api("GET", `${contacts}/${id}`)).toMatchObject({ properties })
  await dialog.getByLabel("Property name").last().fill("seats")
  await dialog.getByLabel("Value of seats").fill("many")
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  const saved = await api("GET", `${contacts}/${id}`)
  expect(saved.properties).toEqual({ plan: 3.5, seats: "many" })
  expect(complaints).toEqual([])
})

it("changes one property of a contact, and keeps what somebody else changed meanwhile", async () => {
  const { page, complaints } = await signIn()
  const book = await api("POST", "/contact-books", { name: "Properties" })
  const contacts = `/contact-books/${book.id}/contacts`
  const { id } = await api("POST", contacts, {
    email: "ada@properties.test",
    properties: { city: "London", plan: "free", seats: 3 },
  })
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByRole("link", { name: "ada@properties.test" }).click()
  const dialog = page.getByRole("dialog", { name: "ada@properties.test" })
  await dialog.getByLabel("Value of city").fill("Paris")
  await dialog.getByRole("button", { name: "Remove seats" }).click()
  await api("PATCH", `${contacts}/${id}`, {
    properties: { city: "London", plan: "pro", seats: 3, since: "May" },
  })
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  const { properties } = await api("GET", `${contacts}/${id}`)
  expect(properties).toEqual({ city: "Paris", plan: "pro", since: "May" })
  expect(complaints).toEqual([])
})

it("says what a later import does with a contact that is removed", async () => {
  const { page } = await signIn()
  const book = await api("POST", "/contact-books", { name: "Removed" })
  const contacts = `/contact-books/${book.id}/contacts`
  const open = async (email: string, subscribed: boolean) => {
    const { id } = await api("POST", contacts, { email, subscribed })
    await page.goto(`/dashboard/contacts/${book.id}?contact=${id}`)
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    return page.getByRole("dialog", { name: "Remove contact" })
  }
  const yes = await open("yes@removed.test", true)
  await yes.getByText("If you import this address later, it is subscribed again.").waitFor()
  const email = "no@removed.test"
  const no = await open(email, false)
  await no.getByText("a later import adds this address as unsubscribed").waitFor()
  await no.getByLabel(/to confirm/).fill(email)
  await no.getByRole("button", { name: "Remove contact" }).click()
  await page.getByText("Contact removed").waitFor()
  await api("POST", `${contacts}/import`, { csv: `email\n${email}` })
  const { data } = await api("GET", `${contacts}?q=${email}`)
  expect(data).toMatchObject([{ email, subscribed: false }])
})
