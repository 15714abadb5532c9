import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { totp } from "../support/totp.ts"
import { executeOn } from "../system/dev-server.ts"
import { hasNoReply, keepReply } from "./kept-reply.ts"
import { addTo, mailedLink, newTeam, PASSWORD } from "./people.ts"
import { isLive, launchBrowser } from "./person.ts"

const { visit, signIn } = launchBrowser()

const WAIT = { timeout: 10_000 }
const isSignedOut = (page: Page) => page.getByRole("heading", { name: "Sign in" }).waitFor()
const isAtWork = (page: Page) => page.getByRole("heading", { name: "Overview" }).waitFor()

it("sets a new password through the mailed link, once, and ends the sessions", async () => {
  const owner = await signIn()
  const person = await addTo(owner.context.request, undefined, "member")
  const old = await signIn({}, person)
  await old.page.goto("/dashboard")
  await isAtWork(old.page)

  const { page, complaints } = await visit()
  await page.goto("/dashboard/sign-in")
  await page.getByRole("button", { name: "Forgot your password?" }).click()
  await page.getByLabel("Email").fill(person.email)
  await page.getByRole("button", { name: "Email me a link" }).click()
  await page.getByRole("heading", { name: "Check your email" }).waitFor()

  const link = await mailedLink(person.email)
  await page.goto(link)
  expect(page.url()).not.toContain("token")
  await page.getByLabel("New password").fill("a better password")
  await page.getByRole("button", { name: "Set password" }).click()
  await page.getByRole("heading", { name: "Your password is set" }).waitFor()

  await old.page.reload()
  await isSignedOut(old.page)
  await page.getByRole("link", { name: "Go to sign-in" }).click()
  await page.getByLabel("Email").fill(person.email)
  await page.getByLabel("Password").fill(person.password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByText("Wrong email or password.").waitFor()
  await page.getByLabel("Password").fill("a better password")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await isAtWork(page)

  await page.goto(link)
  await page.getByLabel("New password").fill("a third password")
  await page.getByRole("button", { name: "Set password" }).click()
  await page.getByText("Link not found.").waitFor()
  expect(complaints).toEqual([])
})

it("ends one other session, then signs out everywhere", async () => {
  const owner = await signIn()
  const person = await addTo(owner.context.request, undefined, "member")
  const [here, elsewhere] = [await signIn({}, person), await signIn({}, person)]
  await elsewhere.page.goto("/dashboard")
  await isAtWork(elsewhere.page)
  await here.page.goto("/dashboard/account")
  const end = here.page.getByRole("button", { name: /^End session/ })
  // One session is from the acceptance of the invitation.
  await expect.poll(() => end.count(), WAIT).toBe(2)
  for (const left of [1, 0]) {
    await end.first().click()
    await expect.poll(() => end.count(), WAIT).toBe(left)
  }
  await elsewhere.page.reload()
  await isSignedOut(elsewhere.page)

  const third = await signIn({}, person)
  await keepReply(here.page)
  await here.page.getByRole("button", { name: "Sign out everywhere" }).click()
  await here.page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click()
  await isSignedOut(here.page)
  await hasNoReply(here.page)
  await third.page.goto("/dashboard")
  await isSignedOut(third.page)
})

it("leads other tabs to the sign-in after signing out in one", async () => {
  const { page, context } = await signIn()
  await page.goto("/dashboard")
  const other = await context.newPage()
  const live = isLive(other)
  await other.goto("/dashboard/emails")
  await live
  await page.getByRole("button", { name: "Demo" }).last().click()
  await page.getByRole("menuitem", { name: "Sign out" }).click()
  await isSignedOut(page)
  // The live stream of the session ends within 15 seconds.
  await isSignedOut(other)
})

const setUpApp = async (page: Page) => {
  await page.getByLabel("Your password").fill(PASSWORD)
  await page.getByRole("button", { name: "Continue" }).click()
  await page.getByRole("img", { name: /^QR code/ }).waitFor()
  const key = await page.locator("code", { hasText: /^([A-Z2-7]{4} ?)+$/ }).innerText()
  const secret = key.replaceAll(" ", "")
  await page.getByLabel("Code from the app").fill("000000")
  await page.getByRole("button", { name: "Turn on" }).click()
  await page.getByText("The code is wrong or expired.").waitFor()
  await page.getByLabel("Code from the app").fill(totp(secret))
  await page.getByRole("button", { name: "Turn on" }).click()
  const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem")
  await codes.first().waitFor()
  const done = page.getByRole("button", { name: "Done" })
  expect(await done.getAttribute("aria-disabled")).toBe("true")
  const file = page.waitForEvent("download")
  await page.getByRole("button", { name: "Download codes" }).click()
  expect((await file).suggestedFilename()).toBe("edgepost-recovery-codes.txt")
  const [recoveryCode = ""] = await codes.allInnerTexts()
  await done.click()
  return { secret, recoveryCode }
}

const enterPassword = async (page: Page, email: string) => {
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("heading", { name: "Enter your code" }).waitFor()
}

it("sets up an authenticator app, which sign-in then asks for", async () => {
  const owner = await signIn()
  const person = await addTo(owner.context.request, undefined, "member")
  const { page, complaints } = await signIn({}, person)
  await page.goto("/dashboard/account")
  await page.getByRole("button", { name: "Set up", exact: true }).click()
  const { secret, recoveryCode } = await setUpApp(page)
  await page.getByText("10 recovery codes left").waitFor()

  const { page: other } = await visit()
  await other.goto("/dashboard/sign-in")
  await enterPassword(other, person.email)
  await other.getByLabel("Code").fill("000001")
  await other.getByRole("button", { name: "Sign in", exact: true }).click()
  await other.getByText("The code is wrong or expired.").waitFor()
  await other.getByLabel("Code").fill(totp(secret, 1))
  await other.getByRole("button", { name: "Sign in", exact: true }).click()
  await isAtWork(other)

  const { page: third } = await visit()
  await third.goto("/dashboard/sign-in")
  await enterPassword(third, person.email)
  await third.getByRole("button", { name: "Use a recovery code" }).click()
  await third.getByLabel("Recovery code").fill(recoveryCode)
  await third.getByRole("button", { name: "Sign in", exact: true }).click()
  await isAtWork(third)

  await page.reload()
  await page.getByText("9 recovery codes left").waitFor()
  await page.getByRole("button", { name: "Turn off" }).click()
  await page.getByLabel("Your password").fill(PASSWORD)
  await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click()
  await page.getByText("Authenticator app turned off").waitFor()
  await page.getByRole("button", { name: "Set up", exact: true }).waitFor()
  expect(complaints).toEqual([])
})

it("shows new recovery codes also to somebody without a password", async () => {
  const owner = await signIn()
  const person = await addTo(owner.context.request, undefined, "member")
  const { page, complaints } = await signIn({}, person)
  await page.goto("/dashboard/account")
  await page.getByRole("button", { name: "Set up", exact: true }).click()
  const { recoveryCode } = await setUpApp(page)
  executeOn(
    inject("state"),
    `delete from accounts
      where user_id = (select id from users where email = '${person.email}')`,
  )
  await page.reload()
  await page.getByRole("button", { name: "New recovery codes" }).click()
  await page.getByRole("button", { name: "Create new codes" }).click()
  const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem")
  await codes.first().waitFor()
  expect(await codes.count()).toBe(10)
  expect(await codes.allInnerTexts()).not.toContain(recoveryCode)
  await page.getByRole("button", { name: "Copy codes" }).click()
  await page.getByRole("button", { name: "Done" }).click()
  await page.getByRole("dialog").waitFor({ state: "detached" })
  expect(complaints).toEqual([])
})

it("leads members to a second factor once the team requires one", async () => {
  const founder = await signIn()
  const team = await newTeam(founder.context.request)
  const first = await addTo(founder.context.request, team.id, "owner")
  const second = await addTo(founder.context.request, team.id, "member")
  const { page, complaints } = await signIn({}, first)
  await page.goto("/dashboard/settings?tab=Sign-in")
  const rule = page.getByRole("switch", { name: "Require a second factor" })
  expect(await rule.isDisabled()).toBe(true)
  await page.getByRole("link", { name: "your account", exact: true }).click()
  await page.getByRole("button", { name: "Set up", exact: true }).click()
  await setUpApp(page)
  await page.getByRole("link", { name: "Settings" }).click()
  await page.getByRole("tab", { name: "Sign-in" }).click()
  await rule.click()
  await page.getByText("Second factor required").waitFor()

  const member = await signIn({}, second)
  await member.page.goto("/dashboard/emails")
  await member.page.getByRole("heading", { name: /requires a second factor$/ }).waitFor()
  await member.page.getByRole("button", { name: "Set up an authenticator app" }).click()
  await setUpApp(member.page)
  await isAtWork(member.page)
  expect([...complaints, ...member.complaints]).toEqual([])
})
