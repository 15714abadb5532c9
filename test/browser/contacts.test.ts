import { readFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { choose } from "./choose.ts"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

const CSV = `Mail,Given name,City,Notes
ada@import.test,Ada,London,first
grace@import.test,Grace,"New York, NY",second
not an address,Nobody,Nowhere,third
ada@import.test,Ada,Paris,fourth
`

it("imports a file: columns are mapped, counted, stored, and errors downloaded", async () => {
  const { page, complaints } = await signIn()
  const book = await api("POST", "/contact-books", { name: `Readers ${Date.now()}` })
  await page.goto(`/dashboard/contacts/${book.id}`)
  await page.getByRole("link", { name: "Import" }).first().click()
  await page
    .getByLabel("File")
    .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) })

  const target = (column: string) => page.getByLabel(`${column} becomes`)
  expect(await target("Mail").inputValue()).toBe("email")
  expect(await target("Given name").inputValue()).toBe("firstName")
  expect(await target("City").inputValue()).toBe("property")
  await choose(target("Notes"), "Leave out")
  await page.getByLabel("Name of the property for City").fill("town")

  await page.getByRole("button", { name: "Count without storing" }).click()
  await page.getByRole("heading", { name: "What the import would do" }).waitFor()
  await page.getByText("1 row, by a later row with the same address").waitFor()
  expect(await page.getByRole("list", { name: "Rows that are left out" }).innerText()).toMatch(
    /Line 4.*not an address/s,
  )
  expect((await api("GET", `/contact-books/${book.id}`)).contactCount).toBe(0)

  await page.getByRole("button", { name: "Import contacts" }).click()
  await page.getByRole("heading", { name: "What the import did" }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the errors as CSV" }).click(),
  ])
  expect(await readFile(await download.path(), "utf8")).toMatch(/^line,email,message\r?\n4,/)

  const { data } = await api("GET", `/contact-books/${book.id}/contacts`)
  expect(data).toHaveLength(2)
  expect(data).toContainEqual(
    expect.objectContaining({
      email: "grace@import.test",
      firstName: "Grace",
      properties: { town: "New York, NY" },
    }),
  )
  await page.getByRole("link", { name: `Go to ${book.name}` }).click()
  await page.getByText("grace@import.test").waitFor()
  expect(complaints).toEqual([])
})
