import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { faultsOf } from "./faults.ts"
import { api, launchBrowser } from "./person.ts"
import { isSaved, publish } from "./publish.ts"

const { signIn } = launchBrowser()

const SOON = { timeout: 10_000 }
const WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"

type Visitor = Awaited<ReturnType<typeof signIn>>

const canvas = (page: Page) => page.getByRole("list", { name: "Blocks" })

/** Opens a draft that is made of these blocks. */
async function openDraft({ page, context }: Visitor, blocks: object[]) {
  const slug = `blocks-${Date.now()}`
  const reply = await context.request.post("/dashboard/api/template-drafts", {
    data: {
      ...{ slug, name: slug, subject: "Hello {{ name }}", bodyHtml: "-", bodyText: null },
      variablesSchema: { variables: [{ name: "name", default: "there" }] },
      design: { blocks },
    },
  })
  const { id } = await reply.json()
  await page.goto(`/dashboard/templates/${id}`)
  await canvas(page).waitFor()
  return { slug, id }
}

const isListed = async (slug: string) => {
  const { data } = await api("GET", "/templates?limit=100")
  return data.some((template: { slug: string }) => template.slug === slug)
}

it("makes a template of blocks: typed, saved, published, sent by a program, and read", async () => {
  const { page, complaints } = await signIn()
  const { keyboard } = page
  const slug = `reset-${Date.now()}`
  await page.goto("/dashboard/templates/new")
  await page.getByText("Password reset").click()
  await expect.poll(() => page.getByLabel("Subject").inputValue()).toBe("Reset your password")
  expect(await page.getByLabel("Slug").inputValue()).toBe("password-reset")
  await page.getByLabel("Slug").fill(slug)
  await page.getByRole("button", { name: "Create draft" }).click()
  await canvas(page).waitFor()

  const heading = page.getByRole("textbox", { name: "Heading" })
  await heading.click()
  await keyboard.press("Control+End")
  await keyboard.type(", ")
  await page.getByRole("button", { name: "Insert a variable" }).first().click()
  await page.getByRole("menuitem", { name: "name", exact: true }).click()
  await expect.poll(() => heading.innerText(), SOON).toBe("Reset your password, {{ name }}")
  const last = page.getByRole("textbox", { name: "Text" }).last()
  await last.click()
  await keyboard.press("Control+End")
  await keyboard.type(" Sent for {{ account.email }}.")
  await isSaved(page)
  expect(await isListed(slug)).toBe(false)

  await page.getByRole("tab", { name: "Preview" }).click()
  await page.getByLabel("account.email").fill("ada@acme.test")
  const preview = page.frameLocator("iframe[title=Preview]")
  await preview.getByText("Sent for ada@acme.test.").waitFor()
  await preview.getByText("Reset your password, Ada").waitFor()
  await publish(page, 1)

  const { bodyHtml, bodyText } = await api("GET", `/templates/${slug}`)
  expect(bodyHtml).toContain('href="{{ resetUrl }}"')
  expect(bodyText).toContain("Sent for {{ account.email }}.")
  const { id } = await api("POST", "/emails", {
    ...{ from: "hello@demo.test", to: "ada@example.com", template: slug },
    variables: {
      name: "Ada & Co",
      resetUrl: "https://acme.test/?a=1&b=2",
      account: { email: "ada@acme.test" },
    },
  })
  await api("GET", `/sandbox/messages?emailId=${id}&wait=10`)
  await page.goto(`/dashboard/inbox/${id}`)
  const mail = page.frameLocator("iframe").first()
  await mail.getByText("Reset your password, Ada & Co").waitFor()
  await mail.getByText("Sent for ada@acme.test.").waitFor()
  const link = mail.getByText("Choose a new password")
  expect(await link.getAttribute("href")).toBe("https://acme.test/?a=1&b=2")
  expect(complaints).toEqual([])
})

it("becomes HTML by choice, which is undone until it is published", async () => {
  const visitor = await signIn()
  const { page } = visitor
  const { id } = await openDraft(visitor, [{ kind: "text", html: "First" }])
  await page.getByRole("textbox", { name: "Text" }).click()
  await page.keyboard.press("Control+End")
  await page.keyboard.type(" and more")
  const editAsHtml = async () => {
    await page.getByRole("button", { name: "More", exact: true }).click()
    await page.getByRole("menuitem", { name: "Edit as HTML" }).click()
    await page.getByText("Once you leave this page, you can no longer edit this").waitFor()
  }
  await editAsHtml()
  await page.locator(".cm-content").getByText("First and more").waitFor()
  await page.getByRole("button", { name: "Back to blocks" }).click()
  await expect
    .poll(() => page.getByRole("textbox", { name: "Text" }).innerText(), SOON)
    .toBe("First and more")
  await publish(page, 1)
  await editAsHtml()
  await publish(page, 2)
  await page.getByText("Once you leave").waitFor({ state: "detached" })
  await page.getByRole("tab", { name: "Versions" }).click()
  await page.getByText("HTML instead of blocks").waitFor()

  await page.getByRole("button", { name: "Compare" }).click()
  await page.getByRole("button", { name: "Restore version 1" }).click()
  await page.getByText("Version 1 is the draft now").waitFor()
  await canvas(page).getByText("First and more").waitFor()
  await publish(page, 3)
  await api("PATCH", `/templates/${id}`, { bodyHtml: "<p>From a program</p>" })
  await page.reload()
  await page.frameLocator("iframe").getByText("From a program").waitFor()
  await page.getByRole("tab", { name: "Versions" }).click()
  const row = page.getByRole("listitem").filter({ hasText: "Version 4" })
  await row.getByText("HTML instead of blocks").waitFor()
})

it("shows another tab's blocks instead of overwriting them, and undoes what was typed", async () => {
  const visitor = await signIn()
  const { page, context } = visitor
  const { id } = await openDraft(visitor, [{ kind: "text", html: "First" }])
  const other = await context.newPage()
  await other.goto(`/dashboard/templates/${id}`)
  const type = async (tab: Page, typed: string) => {
    await tab.getByRole("textbox", { name: "Text" }).click()
    await tab.keyboard.press("Control+End")
    await tab.keyboard.type(typed)
  }
  await type(other, " theirs")
  await isSaved(other)
  await type(page, " mine")
  const dialog = page.getByRole("dialog", { name: "Someone else changed this template" })
  await dialog.getByText("First theirs").waitFor()
  await dialog.getByText("First mine").waitFor()
  await dialog.getByRole("button", { name: "Discard my changes" }).click()
  const text = page.getByRole("textbox", { name: "Text" })
  await expect.poll(() => text.innerText(), SOON).toBe("First theirs")

  await text.click()
  await page.keyboard.press("Control+End")
  await page.keyboard.type(" again")
  await isSaved(page)
  await page.keyboard.press("Control+z")
  await expect.poll(() => text.innerText(), SOON).toBe("First theirs")
})

it("says which block keeps it from being saved", async () => {
  const visitor = await signIn()
  const { page } = visitor
  await openDraft(visitor, [{ kind: "button", label: "Go", url: "{{ url }}" }])
  await page.getByRole("textbox", { name: "Button label" }).click()
  await page.getByLabel("Link URL").fill("{{ url }}{{ other }}")
  await page
    .getByText(/must be an absolute/i)
    .first()
    .waitFor()
  await page.getByText("Fix the marked block to save").first().waitFor()
  await page.getByLabel("Link URL").fill("https://acme.test/{{ path }}")
  await isSaved(page)
})

describe.each(["light", "dark"] as const)("on a phone in the %s theme", (theme) => {
  it("axe finds nothing on any tab, and nothing is wider than the screen", async () => {
    const visitor = await signIn({ theme, width: 390 })
    const { page, complaints } = visitor
    await openDraft(visitor, [
      { kind: "heading", level: 1, text: "A {{ veryLongNameOfAVariable.that.goesOn.andOn }}" },
      { kind: "button", label: "Go", url: "{{ url }}" },
    ])
    for (const name of ["Blocks", "Preview", "Variables", "Versions"]) {
      await page.getByRole("tab", { name }).click()
      expect(await faultsOf(page)).toEqual([])
      expect(await page.evaluate(WIDER)).toBe(false)
    }
    await page.getByRole("button", { name: "More", exact: true }).click()
    await page.getByRole("menuitem", { name: "Edit as HTML" }).click()
    await page.getByText("Back to blocks").waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(await page.evaluate(WIDER)).toBe(false)
    expect(complaints).toEqual([])
  })
})
