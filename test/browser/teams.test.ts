import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { act, choose } from "./choose.ts"
import { hasNoReply, keepReply } from "./kept-reply.ts"
import { addTo, callAs, inviteTo, newTeam, PASSWORD } from "./people.ts"
import { launchBrowser } from "./person.ts"

const { visit, signIn } = launchBrowser()

const WAIT = { timeout: 10_000 }
const hasNoTeam = (page: Page) =>
  page.getByRole("heading", { name: "You are not in a team" }).waitFor()
const isAtWork = (page: Page) => page.getByRole("heading", { name: "Overview" }).waitFor()

/** The button that shows the team of the page. */
const teamMenu = (page: Page, name: string) => page.getByRole("button", { name, exact: true })

it("keeps each tab in its own team", async () => {
  const { page, context } = await signIn()
  const call = callAs(context.request)
  const [first, second] = [await newTeam(context.request), await newTeam(context.request)]
  await page.goto("/dashboard/team")
  await page.getByRole("button", { name: `Switch to ${first.name}` }).click()
  await teamMenu(page, first.name).waitFor()

  const other = await context.newPage()
  await other.goto("/dashboard/emails")
  await teamMenu(other, first.name).waitFor()

  await teamMenu(page, first.name).click()
  await page.getByRole("menuitem", { name: second.name }).click()
  await teamMenu(page, second.name).waitFor()

  await other.getByRole("link", { name: "Settings" }).click()
  await other.getByLabel("Name").fill("Renamed in its own tab")
  await call("PATCH", "/api/team", { trackClicks: true }, first.id)
  await other.getByRole("button", { name: /^Save/ }).click()
  const nameOf = async ({ id }: { id: string }) =>
    (await call<{ name: string }>("GET", "/api/team", undefined, id)).name
  await expect.poll(() => nameOf(first), WAIT).toBe("Renamed in its own tab")
  expect(await nameOf(second)).toBe(second.name)
  expect(await call("GET", "/api/team", undefined, first.id)).toMatchObject({ trackClicks: true })
  await other.reload()
  await teamMenu(other, "Renamed in its own tab").waitFor()
})

it("hands over a team, leaves it, and deletes it after its name is typed", async () => {
  const founder = await signIn()
  const team = await newTeam(founder.context.request)
  const first = await addTo(founder.context.request, team.id, "owner")
  const second = await addTo(founder.context.request, team.id, "member")
  await callAs(founder.context.request)("POST", "/api/team/leave", undefined, team.id)

  const { page } = await signIn({}, first)
  await page.goto("/dashboard/team")
  const leave = page.getByRole("button", { name: "Leave team" })
  await leave.first().click()
  await page.getByRole("dialog").getByRole("button", { name: "Leave team" }).click()
  await page.getByText("The team would be without an owner.").waitFor()
  await page.getByRole("button", { name: "Cancel" }).click()
  await choose(page.getByLabel(`Role of ${second.name}`), "Owner")
  await page.getByText(`${second.name} is now owner`).waitFor()
  await leave.first().click()
  await page.getByRole("dialog").getByRole("button", { name: "Leave team" }).click()
  await hasNoTeam(page)

  const { page: heir } = await signIn({}, second)
  await heir.goto("/dashboard/settings")
  await heir.getByRole("tab", { name: "Danger zone" }).click()
  await heir.getByRole("button", { name: "Delete team" }).click()
  const dialog = heir.getByRole("dialog")
  const confirm = dialog.getByRole("button", { name: "Delete team" })
  await dialog.getByLabel(/to confirm/).fill(team.name.slice(1))
  expect(await confirm.getAttribute("aria-disabled")).toBe("true")
  await dialog.getByLabel(/to confirm/).fill(team.name)
  await confirm.click()
  await hasNoTeam(heir)
})

it("joins an existing person, and asks whoever else is signed in to leave", async () => {
  const owner = await signIn()
  const [home, team] = [await newTeam(owner.context.request), await newTeam(owner.context.request)]
  const guest = await addTo(owner.context.request, home.id, "member")
  const { link } = await inviteTo(owner.context.request, team.id, "admin", guest.email)

  await owner.page.goto(link)
  await owner.page.getByText(`This invitation is for ${guest.email}.`).waitFor()
  await keepReply(owner.page)
  await owner.page.getByRole("button", { name: "Sign out and continue" }).click()
  await owner.page.getByRole("button", { name: "I have an account" }).click()
  await hasNoReply(owner.page)
  await owner.page.getByText("Sign in to join.").waitFor()
  await owner.page.getByLabel("Password").fill(PASSWORD)
  await owner.page.getByRole("button", { name: "Sign in", exact: true }).click()
  await isAtWork(owner.page)
  await teamMenu(owner.page, team.name).waitFor()

  const signedIn = await signIn({}, guest)
  await signedIn.page.goto(link)
  await signedIn.page.getByText("Link not found.").waitFor()
})

it("lets somebody who is signed in join with one button, and no revoked link", async () => {
  const { context } = await signIn()
  const [home, team] = [await newTeam(context.request), await newTeam(context.request)]
  const guest = await addTo(context.request, home.id, "member")
  const { link } = await inviteTo(context.request, team.id, "member", guest.email)
  const { page, complaints } = await signIn({}, guest)
  await page.goto(link)
  await page.getByRole("button", { name: "Join team" }).click()
  await teamMenu(page, team.name).waitFor()

  const revoked = await inviteTo(context.request, team.id, "member")
  const manager = await signIn()
  await manager.page.goto("/dashboard/team")
  await manager.page.getByRole("button", { name: `Switch to ${team.name}` }).click()
  await isAtWork(manager.page)
  await manager.page.goto("/dashboard/team")
  await act(manager.page, revoked.email, "Revoke invitation")
  await expect
    .poll(
      () => manager.page.getByRole("button", { name: `Actions for ${revoked.email}` }).count(),
      WAIT,
    )
    .toBe(0)
  const stranger = await visit()
  await stranger.page.goto(revoked.link)
  await stranger.page.getByText("Link not found.").waitFor()
  expect(complaints).toEqual([])
})

it("asks for the region of a new team where there is a choice", async () => {
  const { page } = await signIn()
  const open = async () => {
    await page.goto("/dashboard/team?create=true")
    await page.getByRole("dialog").getByLabel("Name").waitFor()
  }
  await open()
  expect(await page.getByRole("dialog").getByLabel("Region").count()).toBe(0)

  await page.route("**/dashboard/api/installation", async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ json: { ...(await reply.json()), jurisdictions: [null, "eu"] } })
  })
  await open()
  await page.getByRole("dialog").getByLabel("Name").fill("European")
  await choose(page.getByLabel("Region"), "European Union")
  const sent = page.waitForRequest("**/dashboard/api/teams")
  await page.getByRole("button", { name: "Create team" }).click()
  expect((await sent).postDataJSON()).toEqual({ name: "European", jurisdiction: "eu" })
  await page.getByText("No database of this installation is in this jurisdiction").waitFor()
})
