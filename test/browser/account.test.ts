import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { addTo, mailedLink } from "./people.ts"
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
  await here.page.getByRole("button", { name: "Sign out everywhere" }).click()
  await here.page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click()
  await isSignedOut(here.page)
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
