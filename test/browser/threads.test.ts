import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { faultsOf } from "./faults.ts"
import { focused, tabTo } from "./keyboard.ts"
import { newTeam } from "./people.ts"
import { api, isLive, launchBrowser } from "./person.ts"

const { signIn } = launchBrowser()
const SOON = { timeout: 20_000 }

const mark = `i${Date.now()}`
const address = `${mark}@demo.test`

beforeAll(async () => {
  const { data } = await api("GET", "/domains")
  const { id } = data.find(({ name }: { name: string }) => name === "demo.test")
  await api("PATCH", `/domains/${id}`, { receiving: "forward" })
  await api("POST", "/inboxes", { address, name: "Support" })
})

interface Message {
  subject: string
  headers?: string[]
  body: string
}

let count = 0

/** Hands in a message, and waits until it is in its thread. */
async function receive({ subject, headers = [], body }: Message) {
  const message = [
    "From: Ada Lovelace <ada@example.com>",
    `To: ${address}`,
    `Subject: ${subject}`,
    `Message-ID: <${++count}.${mark}@example.com>`,
    ...headers,
    "",
    body,
  ].join("\r\n")
  const { id } = await api("POST", `/received-emails?to=${address}&from=ada@example.com`, message)
  const read = () => api("GET", `/received-emails/${id}`)
  await expect.poll(async () => (await read()).threadId, SOON).not.toBeNull()
  return (await read()) as { id: string; threadId: string }
}

const kindsOf = async (threadId: string) =>
  (await api("GET", `/threads/${threadId}/messages`)).data.map(({ kind }: { kind: string }) => kind)

it("reads a thread and answers it by keyboard alone, after the reply was taken back", async () => {
  const { page, complaints } = await signIn()
  const subject = `Where is my order? ${mark}`
  const body = "Is it lost?\r\n\r\nOn Monday Support wrote:\r\n> It has shipped."
  const { id, threadId } = await receive({ subject, body })
  await page.goto("/dashboard/threads")
  const row = page.getByRole("row").filter({ hasText: subject })
  await row.getByText("New").waitFor()
  await page.getByRole("link", { name: "Ada Lovelace" }).first().waitFor()
  await page.keyboard.press("j")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: subject }).waitFor()
  await page.getByText("Is it lost?").waitFor()
  await page.getByText("Unverified").waitFor()
  expect(await page.getByText("It has shipped.").count()).toBe(0)
  await tabTo(page, "Show quoted text")
  await page.keyboard.press("Enter")
  await page.getByText("It has shipped.").waitFor()
  await expect.poll(async () => (await api("GET", `/received-emails/${id}`)).read, SOON).toBe(true)

  await page.keyboard.press("a")
  await page.keyboard.type("It comes tomorrow.")
  await page.getByRole("button", { name: "Bold" }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.keyboard.press("Control+Enter")
  await page.getByText("Your reply is being sent").waitFor()
  await page.keyboard.press("z")
  await page.getByText("You have an unsent reply.").waitFor()
  await page.reload()
  await page.getByText("You have an unsent reply.").waitFor()
  expect(await kindsOf(threadId)).toEqual(["received"])
  await page.keyboard.press("a")
  await page.getByRole("button", { name: "Bold" }).waitFor()
  await page.keyboard.type(" Sorry.")
  await page.keyboard.press("Control+Enter")
  expect(await focused(page)).toBe("Reply")
  await expect.poll(() => kindsOf(threadId), SOON).toEqual(["received", "email"])
  await page.frameLocator("iframe").getByText("It comes tomorrow. Sorry.").waitFor()

  await page.keyboard.press("e")
  await page.getByText("1 thread marked as done").waitFor()
  expect((await api("GET", `/threads/${threadId}`)).state).toBe("done")
  await page.keyboard.press("z")
  await expect.poll(async () => (await api("GET", `/threads/${threadId}`)).state).toBe("open")
  await page.keyboard.press("!")
  await page.getByText("1 thread marked as spam").waitFor()
  expect((await api("GET", `/threads/${threadId}`)).state).toBe("spam")
  expect(complaints).toEqual([])
}, 90_000)

it("answers the message that was shown, also after somebody else has written", async () => {
  const { page } = await signIn()
  const { threadId } = await receive({ subject: `Shown ${mark}`, body: "Hello?" })
  await page.goto(`/dashboard/threads/${threadId}`)
  await page.getByRole("button", { name: "Reply" }).click()
  await page.getByRole("textbox", { name: "Reply" }).fill("Here it is.")
  const headers = [`In-Reply-To: <${count}.${mark}@example.com>`, "Reply-To: bob@example.com"]
  const other = await receive({ subject: `Re: Shown ${mark}`, headers, body: "I am Bob." })
  expect(other.threadId).toBe(threadId)
  await page.getByText("I am Bob.").waitFor(SOON)
  await page.getByText("To ada@example.com").waitFor()
  await page.getByRole("button", { name: "Send" }).click()
  await expect.poll(() => kindsOf(threadId), SOON).toEqual(["received", "received", "email"])
  const { data } = await api("GET", `/threads/${threadId}/messages`)
  expect(data[2].email.to).toEqual(["Ada Lovelace <ada@example.com>"])
  await page.getByRole("button", { name: "Reply" }).click()
  await page.getByText("To bob@example.com").waitFor()
})

it("sends a reply whose tab was closed at once", async () => {
  const { page } = await signIn()
  const { threadId } = await receive({ subject: `Closed ${mark}`, body: "Hello?" })
  await page.goto(`/dashboard/threads/${threadId}`)
  await page.getByRole("button", { name: "Reply" }).click()
  await page.getByRole("textbox", { name: "Reply" }).fill("Here it is.")
  await page.getByRole("button", { name: "Send" }).click()
  await page.goto("about:blank")
  await expect.poll(() => kindsOf(threadId), SOON).toEqual(["received", "email"])
})

it("sends a reply whose team was left at once", async () => {
  const { page, context } = await signIn()
  const { name } = await newTeam(context.request)
  const { threadId } = await receive({ subject: `Left ${mark}`, body: "Hello?" })
  await page.goto(`/dashboard/threads/${threadId}`)
  await page.getByRole("button", { name: "Reply" }).click()
  await page.getByRole("textbox", { name: "Reply" }).fill("Here it is.")
  await page.getByRole("button", { name: "Send" }).click()
  await page.getByRole("button", { name: "Demo", exact: true }).first().click()
  await page.getByRole("menuitem", { name }).click()
  await page.getByRole("button", { name, exact: true }).waitFor()
  await expect.poll(() => kindsOf(threadId), SOON).toEqual(["received", "email"])
})

it("forgets a kept reply whose key was taken before", async () => {
  const { page } = await signIn()
  const { threadId } = await receive({ subject: `Kept ${mark}`, body: "Hello?" })
  const other = await receive({ subject: `Other ${mark}`, body: "Hello?" })
  const html = "<p>Here it is.</p>"
  const key = crypto.randomUUID()
  await api("POST", `/threads/${threadId}/replies`, { html, idempotencyKey: key })
  const replies = JSON.stringify({
    [threadId]: { html, sent: { key, at: 0 } },
    // The server refuses the key here, as it does after an upgrade that changes its fingerprints.
    [other.threadId]: { html, sent: { key, at: 0 } },
  })
  await page.goto("/dashboard/threads")
  await page.getByRole("button", { name: "Demo", exact: true }).first().waitFor()
  await page.evaluate(
    `localStorage.setItem("replies " + sessionStorage.getItem("team"), ${JSON.stringify(replies)})`,
  )
  await page.goto(`/dashboard/threads/${threadId}`)
  const kept = `localStorage.getItem("replies " + sessionStorage.getItem("team"))`
  await expect.poll(() => page.evaluate(kept), SOON).toBe("{}")
  expect(await page.getByText("unsent reply").count()).toBe(0)
  expect(await kindsOf(threadId)).toEqual(["received", "email"])
})

/** Sends a reply while the server is away, until the reply is no longer held. */
async function replyInVain(page: Page) {
  await page.route("**/replies", (route) => route.fulfill({ status: 503, body: "{}" }))
  const { threadId } = await receive({ subject: `Away ${mark}`, body: "Hello?" })
  await page.goto(`/dashboard/threads/${threadId}`)
  await page.getByRole("button", { name: "Reply" }).click()
  await page.getByRole("textbox", { name: "Reply" }).fill("Here it is.")
  await page.getByRole("button", { name: "Send" }).click()
  return threadId
}

const signOut = async (page: Page) => {
  await page.getByRole("button", { name: "Demo", exact: true }).last().click()
  await page.getByRole("menuitem", { name: "Sign out" }).click()
}

it("changes or discards a reply that the server did not take", async () => {
  const { page } = await signIn()
  const threadId = await replyInVain(page)
  await page.getByText("Unsent reply").waitFor(SOON)
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole("button", { name: "Edit" }).click()
  const box = page.getByRole("textbox", { name: "Reply" })
  await box.getByText("Here it is.").waitFor()
  await page.getByRole("button", { name: "Send" }).click()
  await page.getByText("Your reply is being sent").waitFor()
  await page.getByText("Unsent reply").waitFor(SOON)
  await page.getByRole("button", { name: "Discard" }).click()
  await page.getByText("Unsent reply").waitFor({ state: "detached" })
  expect(await kindsOf(threadId)).toEqual(["received"])
}, 90_000)

it("keeps replies until a sign-out has ended the session", async () => {
  const { page } = await signIn()
  const threadId = await replyInVain(page)
  await signOut(page)
  await page.getByText("A reply was not sent. Signing out again deletes it.").waitFor(SOON)
  await page.route("**/sign-out", (route) => route.fulfill({ status: 503, body: "{}" }))
  await signOut(page)
  await page.getByText("The server answered 503").nth(1).waitFor()
  await page.unroute("**/replies")
  await page.getByRole("button", { name: "Send now" }).click()
  await expect.poll(() => kindsOf(threadId), SOON).toEqual(["received", "email"])
}, 90_000)

it("leaves shown what was opened while newer rows were read", async () => {
  const { page } = await signIn()
  const live = isLive(page)
  await receive({ subject: `Before ${mark}`, body: "Hi" })
  await page.goto("/dashboard/threads")
  await page.getByText(`Before ${mark}`).first().waitFor()
  await live
  await receive({ subject: `First ${mark}`, body: "Hi" })
  const waiting = page.getByRole("button", { name: "1 new" })
  await waiting.waitFor(SOON)
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/api\/threads\?.*limit=25/, async (route) => {
    const response = await route.fetch()
    await held
    await route.fulfill({ response })
  })
  const asked = page.waitForRequest(/api\/threads\?.*limit=25/)
  await receive({ subject: `Second ${mark}`, body: "Hi" })
  await asked
  await waiting.click()
  answer()
  await waiting.waitFor(SOON)
  expect(await page.getByText(`First ${mark}`).count()).toBeGreaterThan(0)
  expect(await page.getByText(`Second ${mark}`).count()).toBe(0)
})

it("sends files with a reply, also those that were chosen before a reload", async () => {
  const { page, complaints } = await signIn()
  const { threadId } = await receive({ subject: `Files ${mark}`, body: "The bill?" })
  await page.goto(`/dashboard/threads/${threadId}`)
  await page.getByRole("button", { name: "Reply" }).click()
  await page.getByRole("textbox", { name: "Reply" }).fill("Here it is.")
  const text = (name: string, content: string) => ({
    ...{ name, mimeType: "text/plain", buffer: Buffer.from(content) },
  })
  const chosen = [text("bill.txt", "Total: 5"), text("other.txt", "No")]
  await page.getByLabel("Attach files").setInputFiles(chosen)
  await page.getByRole("button", { name: "Remove other.txt" }).click()
  await page.getByText("other.txt").waitFor({ state: "detached" })
  expect(await faultsOf(page)).toEqual([])
  await page.reload()
  await page.getByRole("button", { name: "Continue" }).click()
  await page.getByRole("list", { name: "Files" }).getByText("bill.txt").waitFor()
  await page.getByRole("button", { name: "Send" }).click()
  await expect.poll(() => kindsOf(threadId), SOON).toEqual(["received", "email"])
  await page.getByRole("button", { name: /^Download bill\.txt\s*8/ }).waitFor()
  expect(await page.getByText("other.txt").count()).toBe(0)
  expect(complaints).toEqual([])
})

it("sends files that are still being stored when the reply is sent", async () => {
  const { page } = await signIn()
  await page.addInitScript(`Object.defineProperty(IDBRequest.prototype, "onsuccess", {
    set(answer) {
      this.addEventListener("success", (event) => setTimeout(() => answer(event), 500))
    },
  })`)
  const { threadId } = await receive({ subject: `Slow files ${mark}`, body: "The bill?" })
  await page.goto(`/dashboard/threads/${threadId}`)
  await page.getByRole("button", { name: "Reply" }).click()
  await page.getByRole("textbox", { name: "Reply" }).fill("Here it is.")
  const bill = { name: "bill.txt", mimeType: "text/plain", buffer: Buffer.from("Total: 5") }
  await page.getByLabel("Attach files").setInputFiles([bill])
  await page.getByRole("button", { name: "Send" }).click()
  await expect.poll(() => kindsOf(threadId), { timeout: 40_000 }).toEqual(["received", "email"])
  await page.getByRole("button", { name: /^Download bill\.txt/ }).waitFor()
}, 90_000)

it("sends a reply with files whose tab was closed at once when the dashboard is opened again", async () => {
  const { page } = await signIn()
  const { threadId } = await receive({ subject: `Closed files ${mark}`, body: "The bill?" })
  await page.goto(`/dashboard/threads/${threadId}`)
  await page.getByRole("button", { name: "Reply" }).click()
  await page.getByRole("textbox", { name: "Reply" }).fill("Here it is.")
  const bill = { name: "bill.txt", mimeType: "text/plain", buffer: Buffer.from("Total: 5") }
  await page.getByLabel("Attach files").setInputFiles([bill])
  await page.getByRole("button", { name: "Remove bill.txt" }).waitFor()
  await page.getByRole("button", { name: "Send" }).click()
  await page.goto("/dashboard/domains")
  await expect.poll(() => kindsOf(threadId), SOON).toEqual(["received", "email"])
})

it("leaves the link field with Esc, and the reply open", async () => {
  const { page } = await signIn()
  const { threadId } = await receive({ subject: `Link ${mark}`, body: "Where?" })
  await page.goto(`/dashboard/threads/${threadId}`)
  await page.getByRole("button", { name: "Reply" }).click()
  const reply = page.getByRole("textbox", { name: "Reply" })
  await reply.fill("Here.")
  await page.getByRole("button", { name: "Link", exact: true }).click()
  const link = page.getByLabel("Link address")
  await link.press("Escape")
  await link.waitFor({ state: "detached" })
  expect(await reply.innerText()).toBe("Here.")
})

it("shows html of strangers without script, and loads its images only when asked", async () => {
  const { page, complaints } = await signIn()
  const loaded: string[] = []
  await page.route("https://images.example/**", (route) => {
    loaded.push(route.request().url())
    return route.fulfill({
      contentType: "image/svg+xml",
      body: "<svg xmlns='http://www.w3.org/2000/svg'/>",
    })
  })
  const { threadId } = await receive({
    subject: `Offer ${mark}`,
    headers: ["Content-Type: text/html"],
    body: [
      '<script>document.title = "run"</script><p onclick="alert(1)">Look at <a href="https://offers.example/1">this</a>',
      '<a href="javascript:alert(1)">that</a></p><img src="https://images.example/pixel.png" alt="Pixel">',
      '<form action="https://offers.example/"><input name="password"></form>',
      '<div class="gmail_quote">An older message</div>',
    ].join("\r\n"),
  })
  await page.goto(`/dashboard/threads/${threadId}`)
  const mail = page.frameLocator("iframe")
  const link = mail.getByRole("link", { name: "this" })
  await link.waitFor()
  expect(await link.getAttribute("rel")).toBe("noopener noreferrer")
  expect(await mail.getByText("that").getAttribute("href")).toBeNull()
  expect(await mail.locator("script").count()).toBe(0)
  expect(await mail.getByText("An older message").count()).toBe(0)
  const sandbox = await page.locator("iframe").getAttribute("sandbox")
  expect(sandbox).not.toMatch(/allow-(scripts|forms|top-navigation)/)
  expect(loaded).toEqual([])
  await page.getByRole("button", { name: "Show quoted text" }).click()
  await mail.getByText("An older message").waitFor()
  await page.getByRole("button", { name: "Show images" }).click()
  await expect.poll(() => loaded, SOON).toEqual(["https://images.example/pixel.png"])
  expect(complaints).toEqual([])
})

it("finds messages by subject and sender, and shows new ones behind a count", async () => {
  const { page, complaints } = await signIn({ width: 390, theme: "dark" })
  await receive({ subject: `Green tea ${mark}`, body: "Hi" })
  await page.goto("/dashboard/threads")
  const search = page.getByLabel("Search messages")
  await search.fill(`green tea ${mark}`)
  await search.press("Enter")
  await page.getByText("Green tea").first().waitFor()
  await expect.poll(() => page.getByRole("row").count(), SOON).toBe(2)
  expect(await page.evaluate("document.activeElement?.ariaLabel")).toBe("Search messages")
  await search.fill(`nothing ${mark}`)
  await search.press("Enter")
  await page.getByText(/^No matches( so far)?$/).waitFor()
  await page.getByRole("button", { name: "Show all threads" }).click()
  await page.getByText("Green tea").first().waitFor()
  await receive({ subject: `Black tea ${mark}`, body: "Hi" })
  await page.getByRole("button", { name: "1 new" }).waitFor(SOON)
  // Two messages of one thread are one row.
  const headers = [`In-Reply-To: <${count}.${mark}@example.com>`]
  await receive({ subject: `Re: Black tea ${mark}`, headers, body: "Hi again" })
  await receive({ subject: `White tea ${mark}`, body: "Hi" })
  await page.getByRole("button", { name: "2 new" }).click(SOON)
  await page.getByText("Black tea").first().waitFor()
  expect(await faultsOf(page)).toEqual([])
  const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
  expect(await page.evaluate(isWider)).toBe(false)
  expect(complaints).toEqual([])
})
