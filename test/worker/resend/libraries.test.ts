import { expect, it } from "vitest"
import { request } from "../../support/api.ts"
import { makeCampaign } from "../../support/campaign.ts"
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

it("PHP's empty dictionaries, which it writes as lists, are empty", async () => {
  const team = await makeTeam()
  const empty = { headers: [], tags: [], cc: [], bcc: [], reply_to: [], attachments: [] }
  expect((await post(team, "/emails", emailOf(team, empty))).status).toBe(201)
  const contact = { email: "ada@example.com", properties: [] }
  expect((await post(team, "/contacts", contact)).status).toBe(201)
  expect((await post(team, "/emails", emailOf(team, { headers: ["X-A"] }))).status).toBe(400)
})

it("nulls of a changed contact leave its consent and properties alone", async () => {
  const team = await makeTeam()
  const email = "ada@example.com"
  await post(team, "/contacts", { email, first_name: "Ada", properties: { city: "Rome" } })
  const headers = { authorization: `Bearer ${team.api.key}` }
  const nulls = { id: email, first_name: null, unsubscribed: null, properties: null }
  const at = `/resend/contacts/${email}`
  expect((await request("PATCH", at, nulls, headers)).status).toBe(200)
  const { body } = await request("GET", at, undefined, headers)
  expect(body).toMatchObject({ first_name: null, unsubscribed: false })
  expect(body.properties).toEqual({ city: { type: "string", value: "Rome" } })
})

it("Go's empty time sends a broadcast now", async () => {
  const team = await makeTeam()
  const id = await makeCampaign(team, ["ada@example.com"])
  const sent = await post(team, `/broadcasts/${id}/send`, { broadcast_id: id, scheduled_at: "" })
  expect(sent).toMatchObject({ status: 200, body: { id } })
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
