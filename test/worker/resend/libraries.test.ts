import { expect, it } from "vitest"
import { request } from "../../support/api.ts"
import { makeTeam, type Team } from "../../support/team.ts"

const post = ({ api }: Team, path: string, body: unknown) =>
  request("POST", `/resend${path}`, JSON.stringify(body), {
    authorization: `Bearer ${api.key}`,
    "content-type": "application/json",
  })

const emailOf = (team: Team, more: object) => ({
  from: `App <app@${team.domain}>`,
  to: ["ada@example.com"],
  subject: "Hi",
  html: '<img src="cid:logo">',
  ...more,
})

async function sentFiles(file: object) {
  const team = await makeTeam()
  const { status, body } = await post(team, "/emails", emailOf(team, { attachments: [file] }))
  if (status !== 201) return { status, message: body.message }
  const inbox = await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
  return inbox.body.data[0].attachments[0]
}

it.each([
  ["Go and Rust: a list of bytes", { content: [104, 105] }, { size: 2 }],
  ["earlier Node: a Buffer as JSON", { content: { type: "Buffer", data: [104] } }, { size: 1 }],
  ["a list of every byte", { content: Array.from({ length: 256 }, (_, i) => i) }, { size: 256 }],
  ["an empty list", { content: [] }, { size: 0 }],
  ["Go: an empty path beside the content", { content: "aGk=", path: "" }, { size: 2 }],
  ["Java: null for the path", { content: "aGk=", path: null, content_id: null }, { size: 2 }],
  ["Rust: contentType", { content: "aGk=", contentType: "a/b" }, { contentType: "a/b" }],
  ["an inline_content_id", { content: "aGk=", inline_content_id: "logo" }, { contentId: "logo" }],
  [
    "both content ids",
    { content: "aGk=", inline_content_id: "", content_id: "logo" },
    { contentId: "logo" },
  ],
])("a file arrives as %s", async (_library, file, wanted) => {
  expect(await sentFiles({ filename: "a.png", ...file })).toMatchObject(wanted)
})

it.each([
  ["a number that is no byte", { content: [1, 256] }],
  ["half a number", { content: [0.5] }],
  ["a text among bytes", { content: [1, "2"] }],
  ["a path", { path: "https://example.com/a.png" }],
])("a file with %s is refused", async (_what, file) => {
  expect(await sentFiles({ filename: "a.png", ...file })).toMatchObject({ status: 422 })
})

it("null members are absent where something is made, in a batch too", async () => {
  const team = await makeTeam()
  const nothing = Object.fromEntries(
    ["cc", "bcc", "reply_to", "tags", "headers", "attachments", "text"].map((name) => [name, null]),
  )
  const more = { ...nothing, scheduled_at: null, template: null, topic_id: null }
  expect((await post(team, "/emails", emailOf(team, more))).status).toBe(201)
  const headers = { "X-A": null, "X-B": "b" }
  const batch = [emailOf(team, nothing), emailOf(team, { ...more, headers })]
  expect((await post(team, "/emails/batch", batch)).status).toBe(201)
  const contact = { email: "ada@example.com", first_name: null, properties: null, topics: null }
  const added = await post(team, "/contacts", { ...contact, unsubscribed: null, segments: null })
  expect(added.status).toBe(201)
})
