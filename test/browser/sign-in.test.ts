import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { act } from "./choose.ts"
import { hasNoReply, keepReply } from "./kept-reply.ts"
import { credentials, launchBrowser } from "./person.ts"

const { visit } = launchBrowser()
const { email, password } = credentials.dashboard

/** A fingerprint reader that the browser has, and that always agrees. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("WebAuthn.enable")
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

it("makes no call for a visitor that is refused, on the way to the sign-in", async () => {
  const { page } = await visit()
  const refused: string[] = []
  page.on("response", (reply) => void (reply.status() >= 400 && refused.push(reply.url())))
  for (const path of ["", "/emails", "/emails/em_01KAHTZ9QGX4N7C2D5E8RVW3MB"]) {
    await page.goto(`/dashboard${path}`)
    await page.getByLabel("Password").waitFor()
  }
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(password)
  expect(refused).toEqual([])
})

it("refuses a wrong password, and signs in with the right one", async () => {
  const { page } = await visit()
  await page.goto("/dashboard/sign-in")
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill("not this one")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByText("Wrong email or password.").waitFor()
  await page.getByLabel("Password").fill(password)
  await page.keyboard.press("Control+Enter")
  await page.getByRole("heading", { name: "Overview" }).waitFor()
})

it("leaves no draft of a reply in the browser after signing out", async () => {
  const { page } = await visit()
  await page.goto("/dashboard/account")
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("button", { name: "Add passkey" }).waitFor()
  await keepReply(page)
  await page.getByRole("button", { name: "Demo" }).last().click()
  await page.getByRole("menuitem", { name: "Sign out" }).click()
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  await hasNoReply(page)
})

it("adds a passkey, and signs in with it after signing out", async () => {
  const { page, complaints } = await visit()
  await addAuthenticator(page)
  await page.goto("/dashboard/account")
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("button", { name: "Add passkey" }).click()
  await page.getByText("Passkey added").waitFor()
  await page.getByRole("button", { name: /^Actions for / }).waitFor()

  await page.getByRole("button", { name: "Demo" }).last().click()
  await page.getByRole("menuitem", { name: "Sign out" }).click()
  await page.getByRole("button", { name: "Sign in with a passkey" }).click()
  await page.getByRole("heading", { name: "Overview" }).waitFor()

  await page.goto("/dashboard/account")
  await act(page, /^Actions for /, "Remove passkey")
  await page.getByRole("button", { name: "Remove passkey" }).click()
  await page.getByText("No passkeys yet.").waitFor()
  expect(complaints).toEqual([])
})
