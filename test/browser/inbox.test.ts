import { expect, it } from "vitest"
import { api, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()

it("takes codes out of a message, also out of its subject", async () => {
  const { page, complaints } = await signIn()
  const { id } = await api("POST", "/emails", {
    from: "hello@demo.test",
    to: "ada@example.com",
    subject: "482913 is your code",
    html: '<p>Or <a href="https://example.com/in?token=abcdef">sign in</a>.</p>',
  })
  await page.goto(`/dashboard/inbox/${id}`)
  await page.getByRole("button", { name: "Copy 482913" }).click()
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe("482913")
  await page.getByText("abcdef", { exact: true }).waitFor()
  expect(complaints).toEqual([])
})
