import { expect, it } from "vitest"
import { requestCodes } from "../../src/dashboard/ui/request/request-codes.ts"

const ORIGIN = "https://mail.test"

const mail = { from: "a@b.test", to: "c@d.test", subject: "It's here", html: '<p class="x">Hi</p>' }
const send = {
  method: "POST",
  path: "/emails",
  json: mail,
  library: `await edgepost.emails.send(${JSON.stringify(mail)})`,
} as const
const read = { method: "GET", path: "/domains", library: "await edgepost.domains.list()" } as const

it("shows a call in each language, and an email over SMTP, too", () => {
  const languages = ["curl", "Node.js", "Python", "PHP", "Go", "Ruby"]
  expect(requestCodes(read, ORIGIN).map(({ name }) => name)).toEqual(languages)
  expect(requestCodes(send, ORIGIN).map(({ name }) => name)).toEqual([...languages, "SMTP"])
})

it("reads the key from SVC_API_KEY, or holds the one that was made for it", () => {
  for (const { name, code } of requestCodes(send, ORIGIN)) {
    // The client library reads it itself.
    if (name !== "Node.js") expect(code, name).toContain("SVC_API_KEY")
  }
  for (const { name, code } of requestCodes(send, ORIGIN, "sk_one")) {
    expect(code, name).toContain("sk_one")
    expect(code, name).not.toContain("SVC_API_KEY")
  }
})

it("quotes a text as each language wants it", () => {
  const code = Object.fromEntries(requestCodes(send, ORIGIN).map((one) => [one.name, one.code]))
  expect(code.curl).toContain("It'\\''s here")
  expect(code.PHP).toContain("It\\'s here")
  expect(code.SMTP).toContain('="<p class=\\"x\\">Hi</p>";type=text/html')
})
