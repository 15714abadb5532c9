import { expect, it } from "vitest"
import { request } from "../../support/api.ts"
import { sessionOf } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

async function setUp(change: object = {}) {
  const team = await makeTeam()
  const { body } = await team.api.post("/emails", {
    from: `Sender <sender@${team.domain}>`,
    to: "ada@example.com",
    bcc: "secret@example.com",
    subject: "Your invoice",
    html: "<p>Hi <b>Ada</b></p>",
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
    ...change,
  })
  const cookie = await sessionOf(team.id, "member")
  const get = (path: string) =>
    request("GET", `/dashboard/api/emails/${body.id}${path}`, undefined, { cookie })
  return { team, id: body.id as string, get }
}

it("shows a member the body of an email and the sizes of its files", async () => {
  const { get } = await setUp({ attachments: [{ filename: "hi.txt", content: "SGk=" }] })
  expect((await get("/content")).body).toEqual({
    html: "<p>Hi <b>Ada</b></p>",
    text: null,
    headers: {},
    attachments: [{ filename: "hi.txt", contentType: null, contentId: null, bytes: 2 }],
  })
  expect((await get("/attachments/0")).body).toEqual({ filename: "hi.txt", content: "SGk=" })
  expect((await get("/attachments/1")).status).toBe(404)
  expect((await get("/attachments/-1")).status).toBe(404)
})

it("composes the source without the bcc recipients, with the text part that goes out", async () => {
  const { get } = await setUp()
  const { source } = (await get("/source")).body
  expect(source).toContain("Subject: Your invoice\r\n")
  expect(source).toContain("Hi Ada")
  expect(source).not.toContain("secret@example.com")
})

it("has no such calls under /api/v1", async () => {
  const { team, id } = await setUp()
  expect((await team.api.get(`/emails/${id}/content`)).status).toBe(404)
})
