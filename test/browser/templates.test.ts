import { globSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { faultsOf } from "./faults.ts"
import { api, launchBrowser } from "./person.ts"
import { isSaved, publish } from "./publish.ts"

const { signIn } = launchBrowser()

/** The files of the code editor, which have no names. */
const editorFiles = globSync("dist/dashboard/dashboard/assets/*.js")
  .filter((file) => readFileSync(file, "utf8").includes("cm-lintRange"))
  .map((file) => file.replace("dist/dashboard", ""))

it("shows an error at its place, publishes a draft, and restores a version", async () => {
  const { page, complaints } = await signIn()
  const slug = `welcome-${Date.now()}`
  await page.goto("/dashboard/templates/new")
  await page.getByText("Write the code yourself").click()
  await page.getByLabel("Name").fill("Welcome")
  await page.getByLabel("Slug").fill(slug)
  await page.getByLabel("Subject").fill("Hello {{ name }}")
  await page.getByRole("button", { name: "Create draft" }).click()

  const html = page.getByRole("textbox", { name: "HTML" })
  await page.locator(".cm-content").waitFor()
  await html.focus()
  await page.keyboard.type("At the start and on")
  await page.getByText("At the start and on").first().waitFor()
  const write = async (text: string) => {
    await html.press("Control+a")
    await html.pressSequentially(text)
  }
  await write("<p>Your code is {{ code }}</p>")
  const mark = page.locator(".cm-lintRange")
  await mark.waitFor()
  expect(await mark.innerText()).toBe("{{ code }}")
  await mark.hover()
  await page.getByText("“code” is required").waitFor()

  await write("<p>Hello {{ name }}, welcome</p>")
  await mark.waitFor({ state: "detached" })
  await page.frameLocator("iframe").getByText("Hello there, welcome").waitFor()
  await page.route("**/dashboard/api/templates/*/draft", async (route) => {
    await page.waitForTimeout(500)
    await route.continue()
  })
  await html.press("Control+s")
  await html.press("Control+End")
  await html.pressSequentially(" written while it is saved")
  await isSaved(page)
  expect(await html.inputValue().catch(() => html.innerText())).toContain("while it is saved")
  const published = (await api("GET", "/templates?limit=100")).data
  expect(published.map(({ slug }: { slug: string }) => slug)).not.toContain(slug)
  await publish(page, 1)
  expect((await api("GET", `/templates/${slug}`)).bodyHtml).toContain("while it is saved")
  await write("<p>Second</p>")
  await publish(page, 2)

  await page.getByRole("tab", { name: "Versions" }).click()
  await page.getByRole("button", { name: "Compare" }).click()
  await page.getByRole("button", { name: "Restore version 1" }).click()
  await page.getByText("Version 1 is the draft now").waitFor()
  expect((await api("GET", `/templates/${slug}`)).version).toBe(2)
  await publish(page, 3)
  const { bodyHtml } = await api("GET", `/templates/${slug}`)
  expect(bodyHtml).toContain("while it is saved")
  // Chromium's own editing of the code sets styles in markup, which the policy refuses.
  expect(complaints.filter((one) => !one.startsWith("Applying inline style"))).toEqual([])
})

it("keeps each letter typed while the code editor loads, and shows what was published", async () => {
  const { page } = await signIn()
  const { id } = await api("POST", "/templates", {
    ...{ slug: `typed-${Date.now()}`, name: "Typed", subject: "First", bodyText: "Hi" },
    ...{ bodyHtml: "!", variablesSchema: { variables: [] } },
  })
  let delayed = 0
  await page.route("**/*.js", async (route) => {
    if (!editorFiles.includes(new URL(route.request().url()).pathname)) return route.continue()
    delayed++
    await page.waitForTimeout(300)
    await route.continue()
  })
  await page.goto(`/dashboard/templates/${id}`)
  const html = page.getByRole("textbox", { name: "HTML" })
  await html.focus()
  await html.press("Control+Home")
  const typed = "every letter stays, ".repeat(5)
  await page.keyboard.type(typed, { delay: 10 })
  expect(delayed).toBeGreaterThan(0)
  await page.locator(".cm-content").waitFor()
  await page.keyboard.type("also the last")
  await expect.poll(() => html.innerText()).toBe(`${typed}also the last!`)
  await isSaved(page)

  await page.getByRole("button", { name: "More" }).click()
  await page.getByRole("menuitem", { name: "Discard draft" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Discard draft" }).click()
  await expect.poll(() => html.innerText()).toBe("!")
})

it("shows the difference instead of overwriting what another tab saved", async () => {
  const { page, context } = await signIn()
  const slug = `tabs-${Date.now()}`
  const { id } = await api("POST", "/templates", {
    ...{ slug, name: "Tabs", subject: "First", bodyText: "Hi" },
    ...{ bodyHtml: "<p>Hi</p>", variablesSchema: { variables: [] } },
  })
  const other = await context.newPage()
  for (const tab of [page, other]) {
    await tab.goto(`/dashboard/templates/${id}`)
    await tab.getByLabel("Subject").waitFor()
  }
  const saveElsewhere = async (subject: string) => {
    await other.getByLabel("Subject").fill(subject)
    await isSaved(other)
  }
  const subject = page.getByLabel("Subject")
  await saveElsewhere("From the other tab")
  await subject.fill("Mine")
  const dialog = page.getByRole("dialog", { name: "Someone else changed this template" })
  await dialog.getByText("From the other tab").waitFor()
  await dialog.getByText("Mine", { exact: true }).waitFor()
  await dialog.getByRole("button", { name: "Discard my changes" }).click()
  await dialog.waitFor({ state: "detached" })
  await expect.poll(() => subject.inputValue()).toBe("From the other tab")

  await publish(other, 2)
  await subject.fill("Mine again")
  await dialog.getByRole("button", { name: "Save mine as the draft" }).click()
  await dialog.waitFor({ state: "detached" })
  await isSaved(page)
  expect((await api("GET", `/templates/${id}`)).subject).toBe("From the other tab")
  await publish(page, 3)
  expect((await api("GET", `/templates/${id}`)).subject).toBe("Mine again")
})

it("discards a draft, saves what is left, and asks before what cannot be saved is lost", async () => {
  const { page } = await signIn()
  const { id } = await api("POST", "/templates", {
    ...{ slug: `left-${Date.now()}`, name: "Left", subject: "First", bodyText: "Hi" },
    ...{ bodyHtml: "<p>Hi</p>", variablesSchema: { variables: [] } },
  })
  await page.goto(`/dashboard/templates/${id}`)
  const subject = page.getByLabel("Subject")
  await subject.fill("")
  await page.getByRole("link", { name: "Templates" }).first().click()
  const asked = page.getByRole("dialog", { name: "Leave this page? Some changes are not saved." })
  await asked.getByRole("button", { name: "Stay" }).click()
  await asked.waitFor({ state: "detached" })
  expect(await subject.inputValue()).toBe("")
  await subject.fill("Saved by itself")
  await page.getByRole("link", { name: "Templates" }).first().click()
  const row = page.getByRole("row").filter({ hasText: "Left" })
  await row.getByText("Unpublished changes").waitFor()
  await row.getByRole("link", { name: "Left" }).click()
  await page.getByRole("button", { name: "More" }).click()
  await page.getByRole("menuitem", { name: "Discard draft" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Discard draft" }).click()
  await expect.poll(() => subject.inputValue()).toBe("First")
  await page.getByRole("link", { name: "Templates" }).first().click()
  await row.waitFor()
  await row.getByText("Unpublished changes").waitFor({ state: "detached" })
})

it("asks to confirm variables that become required, shows before and after, and rolls back", async () => {
  const { page, complaints } = await signIn()
  const slug = `receipt-${Date.now()}`
  const { id } = await api("POST", "/templates", {
    ...{ slug, name: "Receipt", subject: "Receipt", bodyText: null },
    ...{ bodyHtml: "<p>Paid</p>", variablesSchema: { variables: [] } },
  })
  await page.goto(`/dashboard/templates/${id}`)
  const html = page.getByRole("textbox", { name: "HTML" })
  await page.locator(".cm-content").waitFor()
  await html.press("Control+a")
  await html.pressSequentially("<p>Paid {{ sum }} <img src='https://example.com/a.png'></p>")
  await isSaved(page)
  await page.getByRole("button", { name: "Publish version 2" }).click()
  const dialog = page.getByRole("dialog", { name: "Review and publish" })
  await dialog.getByText("{{ sum }} becomes required. Emails without it are refused.").waitFor()
  await dialog.getByText("Add an alt text.").waitFor()
  await dialog.frameLocator("iframe[title=Now]").getByText("Paid", { exact: true }).waitFor()
  await dialog.frameLocator("iframe[title=After]").getByText("Paid [sum]").waitFor()
  const go = dialog.getByRole("button", { name: "Publish version 2" })
  expect(await go.getAttribute("aria-disabled")).toBe("true")
  await page.keyboard.press("Control+Enter")
  expect(await faultsOf(page)).toEqual([])
  await dialog.getByRole("button", { name: "Back to editing" }).click()
  await dialog.waitFor({ state: "detached" })
  await publish(page, 2)
  await page.getByRole("button", { name: "Roll back" }).click()
  await page.getByText("Version 1 is published again, as version 3").waitFor()
  expect(await api("GET", `/templates/${slug}`)).toMatchObject({
    ...{ version: 3, bodyHtml: "<p>Paid</p>" },
  })
  await expect.poll(() => html.innerText()).toBe("<p>Paid</p>")
  expect(complaints.filter((one) => !one.startsWith("Applying inline style"))).toEqual([])
})

it("keeps a new template as a draft, which is found by its name, duplicated and deleted", async () => {
  const { page, complaints } = await signIn()
  const name = `Unborn ${Date.now()}`
  await page.goto("/dashboard/templates/new")
  await page.getByLabel("Name").fill(name)
  await page.getByLabel("Subject").fill("Hello")
  await page.getByRole("button", { name: "Create draft" }).click()
  await page.getByRole("heading", { name }).waitFor()
  await page.getByLabel("Slug").fill("taken by nobody")
  await page.getByText("Lower-case letters and digits").first().waitFor()
  await page.getByLabel("Slug").fill(`slug-${Date.now()}`)
  await isSaved(page)

  await page.getByRole("button", { name: "More" }).click()
  await page.getByRole("menuitem", { name: "Duplicate" }).click()
  await page.getByRole("heading", { name: `Copy of ${name}` }).waitFor()
  await page.getByRole("link", { name: "Templates" }).first().click()
  const rows = page.getByRole("row").filter({ hasText: name })
  await expect.poll(() => rows.getByText("Draft", { exact: true }).count()).toBe(2)

  await page.keyboard.press("Control+k")
  await page.getByPlaceholder("Search pages, actions").fill(`Copy of ${name}`)
  await page.getByRole("option").filter({ hasText: "Draft template" }).click()
  await page.getByRole("heading", { name: `Copy of ${name}` }).waitFor()
  await page.getByRole("button", { name: "More" }).click()
  await page.getByRole("menuitem", { name: "Delete draft" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete draft" }).click()
  await page.getByText("Draft deleted").waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  expect(complaints).toEqual([])
})
