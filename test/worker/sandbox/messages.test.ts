import { describe, expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { createProvider } from "../../../src/worker/providers/create-provider.ts"
import { unpackMessage } from "../../../src/worker/providers/sandbox/message.ts"
import { outgoing } from "../../support/smtp/message.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const message = ({ domain }: Team, to: string) => ({
  from: `sender@${domain}`,
  to,
  subject: "Hello",
  text: "Hi",
})

describe("a message in the test inbox", () => {
  it("is what its recipient gets, without the bcc", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", {
      from: `Jürgen <sender@${team.domain}>`,
      to: ["Ann <ann@example.com>"],
      bcc: "hidden@example.com",
      replyTo: "help@example.com",
      subject: "Grüße 👋",
      html: '<p>Hallo <a href="https://example.com/?a=1&amp;b=2">dort</a></p><img src="cid:logo">',
      text: "Hallo https://example.com/plain",
      headers: { "X-Order": "7", "List-Unsubscribe": "<https://example.com/u>" },
      attachments: [
        { filename: "résumé.txt", content: btoa("hi there") },
        { filename: "logo.png", content: btoa("png"), contentType: "image/png", contentId: "logo" },
        { filename: "notes.txt", content: btoa("notes"), contentId: "notes" },
      ],
    })
    const { body: inbox } = await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    const [got] = inbox.data
    expect(got).toMatchObject({
      emailId: body.id,
      envelope: { from: `sender@${team.domain}`, to: ["ann@example.com", "hidden@example.com"] },
      subject: "Grüße 👋",
      links: ["https://example.com/?a=1&b=2", "https://example.com/plain"],
      attachments: [
        { filename: "logo.png", contentType: "image/png", size: 3, contentId: "logo" },
        { filename: "notes.txt", contentType: "text/plain", size: 5, contentId: "notes" },
        { filename: "résumé.txt", contentType: "text/plain", size: 8, contentId: null },
      ],
    })
    expect(got.headers).toMatchObject({
      from: `Jürgen <sender@${team.domain}>`,
      to: "Ann <ann@example.com>",
      "reply-to": "help@example.com",
      "x-order": "7",
      "list-unsubscribe": "<https://example.com/u>",
    })
    expect(got.html).toContain("Hallo")
    expect(got.raw).not.toContain("hidden@example.com")
  })

  it("is stored once for an email that is handed over twice", async () => {
    const team = await makeTeam()
    const { work } = testWork()
    const mail = { ...outgoing(), teamId: team.id }
    const provider = createProvider(work)
    const first = await provider.send(mail)
    await scheduler.wait(5)
    expect(await provider.send({ ...mail, attempt: 2 })).toEqual(first)
    const { body } = await team.api.get(`/sandbox/messages?emailId=${mail.emailId}`)
    expect(body.data).toHaveLength(1)
  })

  it("is shown with every link, and without mail that is attached in its body", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", {
      from: `"=?utf-8?Q?Evil?=" <sender@${team.domain}>`,
      to: "ann@example.com",
      subject: "=?utf-8?Q?Evil?=",
      html: '<a href=https://c.test/u>c</a> <a href="https://d.test/?a=1&#38;b=2">d</a>',
      text: "See https://a.test/x. And https://b.test/y, ok (https://b.test/z_(1)).",
      attachments: [
        {
          filename: "old.eml",
          content: btoa("Subject: Old\r\n\r\nOld body\r\n"),
          contentType: "message/rfc822",
        },
      ],
    })
    const { body: inbox } = await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    expect(inbox.data[0]).toMatchObject({
      subject: "=?utf-8?Q?Evil?=",
      links: [
        "https://c.test/u",
        "https://d.test/?a=1&b=2",
        "https://a.test/x",
        "https://b.test/y",
        "https://b.test/z_(1)",
      ],
      attachments: [{ filename: "old.eml" }],
    })
    expect(inbox.data[0].headers.from).toContain("=?utf-8?Q?Evil?=")
    expect(inbox.data[0].html).not.toContain("Old body")
  })

  it("is waited for, and the list is empty if none comes", async () => {
    const team = await makeTeam()
    const waiting = team.api.get("/sandbox/messages?to=later@example.com&wait=15")
    await team.api.post("/emails", message(team, "later@example.com"))
    expect((await waiting).body.data).toHaveLength(1)
    const none = await team.api.get("/sandbox/messages?to=never@example.com&wait=1")
    expect(none.body).toEqual({ data: [], nextCursor: null })
  })

  it("is seen by its own team only", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()]
    const { body } = await team.api.post("/emails", message(team, "someone@example.com"))
    await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    expect((await other.api.get(`/sandbox/messages?emailId=${body.id}`)).body.data).toEqual([])
  })

  it.each(["wait=31", "wait=-1", "wait=x", "to=x"])(
    "is not searched for with %s",
    async (query) => {
      const { api } = await makeTeam()
      expect((await api.get(`/sandbox/messages?${query}`)).status).toBe(400)
    },
  )
})

describe("the links of a message", () => {
  const linksIn = async (type: string, body: string) => {
    const raw = Buffer.from(`Content-Type: ${type}\r\n\r\n${body}`)
    const kept = Buffer.from(`${JSON.stringify({ subject: "a", raw: raw.length })}\n`)
    const message = { emailId: newId("email"), createdAt: 0 }
    return (await unpackMessage(message, Buffer.concat([kept, raw]))).links
  }

  it("are those of its first 10,000 links and images", async () => {
    const urls = Array.from({ length: 10_001 }, (_, index) => `http://x.test/${index}`)
    const html = urls.map((url) => `<img src=${url}>`).join("")
    expect(await linksIn("text/html", html)).toEqual(urls.slice(0, -1))
    expect(await linksIn("text/plain", urls.join(" "))).toEqual(urls.slice(0, -1))
    expect(await linksIn("text/html", "src=a ".repeat(2_000_000))).toEqual([])
  })

  it("are read beside addresses of millions of characters", async () => {
    const long = `http://${"x".repeat(10_000_000)}`
    expect(await linksIn("text/plain", `${long} http://x.test`)).toContain("http://x.test")
    const html = `<a href="${long}"><a href="http://x.test">`
    expect(await linksIn("text/html", html)).toEqual(["http://x.test"])
  })
})
