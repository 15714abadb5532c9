import { expect, it } from "vitest"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

it("shows an error at its place, saves versions, and restores one", async () => {
  const { page, complaints } = await signIn()
  const slug = `welcome-${Date.now()}`
  await page.goto("/dashboard/templates/new")
  await page.getByLabel("Name").fill("Welcome")
  await page.getByLabel("Slug").fill(slug)
  await page.getByLabel("Subject").fill("Hello {{ name }}")
  await page.getByRole("button", { name: "Add template" }).click()

  const html = page.getByRole("textbox", { name: "HTML" })
  await html.focus()
  await page.keyboard.type("At the start ")
  await page.locator(".cm-content").waitFor()
  await page.keyboard.type("and on")
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
  await page.route("**/dashboard/api/templates/*", async (route) => {
    await page.waitForTimeout(500)
    await route.continue()
  })
  await page.getByRole("button", { name: "Save as version 2" }).click()
  await html.press("Control+End")
  await html.pressSequentially(" written while it is saved")
  await page.getByText("Saved as version 2").waitFor()
  await page.getByRole("tab", { name: "Versions" }).click()
  await page.getByRole("button", { name: "Save as version 3" }).waitFor()
  await page.getByRole("tab", { name: "HTML" }).click()
  expect(await html.inputValue().catch(() => html.innerText())).toContain("while it is saved")

  await page.getByRole("tab", { name: "Versions" }).click()
  await page.getByRole("button", { name: "Compare" }).click()
  await page.getByText("Restoring a version discards them").waitFor()
  await page.getByRole("button", { name: "Discard changes and restore version 1" }).click()
  await page.getByText("Version 1 restored as version 3").waitFor()
  await page.getByText("Version 3", { exact: true }).first().waitFor()
  const { bodyHtml } = await api("GET", `/templates/${slug}`)
  expect(bodyHtml).toContain("Write your message here.")
  // Chromium's own editing of the code sets styles in markup, which the policy refuses.
  expect(complaints.filter((one) => !one.startsWith("Applying inline style"))).toEqual([])
})

it("shows in one tab the version that was saved in another, and says so beside unsaved text", async () => {
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
  const saveElsewhere = async (subject: string, version: number) => {
    await other.getByLabel("Subject").fill(subject)
    await other.getByRole("button", { name: `Save as version ${version}` }).click()
    await other.getByText(`Saved as version ${version}`).waitFor()
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
  }
  await saveElsewhere("From the other tab", 2)
  const subject = page.getByLabel("Subject")
  await expect.poll(() => subject.inputValue(), { timeout: 10_000 }).toBe("From the other tab")
  const warning = page.getByText(/Version \d+ was saved by someone else/)
  expect(await warning.count()).toBe(0)

  await subject.fill("Not saved yet")
  await saveElsewhere("Again from the other tab", 3)
  await warning.waitFor()
  expect(await subject.inputValue()).toBe("Not saved yet")
  await page.getByRole("button", { name: "Save as version 4" }).click()
  await page.getByText("Saved as version 4").waitFor()
  await warning.waitFor({ state: "detached" })
  expect((await api("GET", `/templates/${id}`)).subject).toBe("Not saved yet")
})
