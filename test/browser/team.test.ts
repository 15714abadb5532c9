import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { act, choose } from "./choose.ts"
import { api, isLoaded, launchBrowser } from "./person.ts"

const { visit, signIn } = launchBrowser()

async function invite(owner: Page, email: string, role: "Member" | "Admin") {
  await owner.goto("/dashboard/team?new=true")
  const dialog = owner.getByRole("dialog")
  await dialog.getByLabel("Email").fill(email)
  await choose(dialog.getByLabel("Role"), role)
  await dialog.getByRole("button", { name: "Invite" }).click()
  await dialog.getByText(`${email} is invited`).waitFor()
  return dialog.getByText(/\/dashboard\/invitation#token=/).innerText()
}

/** Opens the link in a browser of its own, as the invited person. */
async function accept(link: string, name: string) {
  const visitor = await visit()
  await visitor.page.goto(link)
  await visitor.page.getByRole("heading", { name: "Join Demo" }).waitFor()
  await visitor.page.getByLabel("Your name").fill(name)
  await visitor.page.getByLabel("Password").fill("correct horse battery")
  await visitor.page.getByRole("button", { name: "Join team" }).click()
  await visitor.page.getByRole("heading", { name: "Overview" }).waitFor()
  return visitor
}

const isShown = (page: Page, role: "link" | "button", name: string) =>
  page.getByRole(role, { name, exact: true }).isVisible()

async function mayImport(page: Page) {
  const { id } = await api("POST", "/contact-books", { name: "Readers" })
  await page.goto(`/dashboard/contacts/${id}/import`)
  await page.getByRole("heading", { name: "Import contacts" }).waitFor()
  await isLoaded(page)
  return page.getByLabel("File").isVisible()
}

/** What the pages offer to whoever looks. */
async function offers(page: Page) {
  /** `shown` is a text that the page shows to everybody, once it has loaded. */
  const look = async (path: string, shown: string, button: string) => {
    await page.goto(`/dashboard${path}`)
    await page.getByText(shown).first().waitFor()
    await isLoaded(page)
    return isShown(page, "button", button)
  }
  return {
    createsKeys: await look("/api-keys", "Demo, sending only", "Create API key"),
    addsDomains: await look("/domains", "demo.test", "Add domain"),
    invites: await look("/team", "Owners can do everything", "Invite teammate"),
    importsContacts: await mayImport(page),
    deletesTeam: await look("/settings?tab=Danger zone", "Usage", "Delete team"),
    sends: await look("/emails", "Emails", "Send test email"),
    seesWebhooks: await isShown(page, "link", "Webhooks"),
    seesAuditLog: await isShown(page, "link", "Audit log"),
  }
}

it("invites a member, who sends but manages nothing, and may be removed", async () => {
  const { page: owner } = await signIn()
  const name = `Mary ${Date.now()}`
  const email = `member-${Date.now()}@people.test`
  const link = await invite(owner, email, "Member")
  await owner.setViewportSize({ width: 390, height: 844 })
  await owner.goto("/dashboard/team")
  const invitation = owner.getByRole("row").filter({ hasText: email })
  await invitation.getByText(/^Member · expires in 7 days$/).waitFor()
  const { page, complaints } = await accept(link, name)
  expect(await offers(page)).toEqual({
    createsKeys: false,
    addsDomains: false,
    invites: false,
    importsContacts: false,
    deletesTeam: false,
    sends: true,
    seesWebhooks: false,
    seesAuditLog: false,
  })
  const again = await visit()
  await again.page.goto(link)
  await again.page.getByText("Link not found.").waitFor()

  await owner.goto("/dashboard/team")
  await act(owner, name, "Remove member")
  await owner.getByRole("button", { name: "Remove member" }).click()
  await owner.getByText("Member removed").waitFor()
  await page.reload()
  await page.getByRole("heading", { name: "You are not in a team" }).waitFor()
  expect(complaints).toEqual([])
})

it("invites an admin, who manages all but owners and the team's end", async () => {
  const { page: owner } = await signIn()
  expect(await offers(owner)).toEqual({
    createsKeys: true,
    addsDomains: true,
    invites: true,
    importsContacts: true,
    deletesTeam: true,
    sends: true,
    seesWebhooks: true,
    seesAuditLog: true,
  })
  const link = await invite(owner, `admin-${Date.now()}@people.test`, "Admin")
  const { page } = await accept(link, "An admin")
  expect(await offers(page)).toEqual({
    createsKeys: true,
    addsDomains: true,
    invites: true,
    importsContacts: true,
    deletesTeam: false,
    sends: true,
    seesWebhooks: true,
    seesAuditLog: true,
  })
  await page.goto("/dashboard/team?new=true")
  await page.getByRole("dialog").getByLabel("Role").click()
  const roles = page.getByRole("option")
  await expect.poll(() => roles.allInnerTexts()).toEqual(["Member", "Admin"])
  await page.keyboard.press("Escape")
  await page.keyboard.press("Escape")
  expect(await isShown(page, "button", "Actions for Demo")).toBe(false)
})
