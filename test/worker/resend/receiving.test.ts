import { exports } from "cloudflare:workers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readToken, signToken } from "../../../src/lib/token.ts"
import { makeInbox, messageTo, receive } from "../../support/receiving.ts"
import { makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"
import { ok, withFiles } from "./calls.ts"
import { createResend, routeFetch } from "./package.ts"

let fetched: ReturnType<typeof routeFetch>
beforeAll(() => {
  fetched = routeFetch()
})
afterAll(() => fetched.mockRestore())

async function setUp() {
  const team = await makeTeam()
  const resend = createResend(team.api.key)
  const { address } = await makeInbox(team)
  const received = await receive(team, address, withFiles(address))
  return { team, resend, received, files: resend.emails.receiving.attachments }
}

const open = (url: string) => exports.default.fetch(new Request(url))

describe("files of received mail", () => {
  it("are listed page by page, each with a link that needs no key", async () => {
    const { received, files } = await setUp()
    const emailId = received.id
    const first = await ok(files.list({ emailId, limit: 1 }))
    expect(first).toMatchObject({
      has_more: true,
      data: [{ filename: "a b.txt", content_disposition: "attachment", size: 8 }],
    })
    const second = await ok(files.list({ emailId, limit: 1, after: first.data[0]!.id }))
    expect(second).toMatchObject({
      has_more: false,
      data: [{ content_type: "image/png", content_disposition: "inline" }],
    })
    expect(await ok(files.list({ emailId, limit: 1, before: second.data[0]!.id }))).toMatchObject({
      has_more: false,
      data: [{ id: first.data[0]!.id }],
    })
    const replies = [...first.data, ...second.data].map((one) => open(one.download_url))
    const [text, picture] = await Promise.all(replies)
    expect(await text!.text()).toBe("Total: 5")
    expect(text!.headers.get("content-disposition")).toContain("attachment; filename")
    expect(Buffer.from(await picture!.arrayBuffer()).toString("base64")).toBe("iVBORw==")
  })

  it("are read singly, and so is the whole message", async () => {
    const { team, resend, received, files } = await setUp()
    const file = await ok(files.get({ emailId: received.id, id: "0" }))
    expect(await (await open(file.download_url)).text()).toBe("Total: 5")
    const { raw } = await ok(resend.emails.receiving.get(received.id))
    const reply = await open(raw!.download_url)
    const { body } = await team.api.get(`/received-emails/${received.id}/raw`)
    expect(await reply.text()).toBe(body)
    expect(await files.get({ emailId: received.id, id: "7" })).toMatchObject({
      error: { statusCode: 404 },
    })
  })

  it("are not there by a link that is over, changed, or of a deleted message", async () => {
    const { team, received, files } = await setUp()
    const { download_url: url } = await ok(files.get({ emailId: received.id, id: "0" }))
    const [, base, token = ""] = /^(.*\/)(.*)$/.exec(url)!
    const key = testWork().work.settings.SIGNING_KEY
    const link = readToken(key, "received-file", token) as object
    const over = signToken(key, "received-file", { ...link, expiresAt: Date.now() - 1 })
    const other = signToken(key, "unsubscribe", link)
    for (const wrong of [over, other, token.slice(0, -1), "x"]) {
      expect((await open(`${base}${wrong}`)).status).toBe(404)
    }
    await team.api.delete(`/received-emails/${received.id}`)
    expect((await open(url)).status).toBe(404)
  })
})

it("received mail is listed backwards by the id of the first record", async () => {
  const { team, resend } = await setUp()
  const { address } = await makeInbox(team)
  for (let i = 0; i < 4; i++) await receive(team, address, messageTo(address, [`X-Count: ${i}`]))
  const list = async (query: object) =>
    (await ok(resend.emails.receiving.list(query)))!.data.map(({ id }) => id)
  const all = await list({})
  expect(all).toHaveLength(5)
  expect(await list({ limit: 2, before: all[3] })).toEqual([all[1], all[2]])
})

it("a domain that receives says so", async () => {
  const { team, resend } = await setUp()
  expect(await ok(resend.domains.get(team.domainId))).toMatchObject({
    capabilities: { sending: "enabled", receiving: "enabled" },
  })
})

it("a message is forwarded with files that have no name", async () => {
  const { team, resend } = await setUp()
  const { address } = await makeInbox(team)
  const invitation = messageTo(
    address,
    ['Content-Type: multipart/mixed; boundary="x"'],
    [
      ...["--x", "Content-Type: text/plain", "", "Can you come?"],
      ...["--x", "Content-Type: text/calendar; method=REQUEST", "", "BEGIN:VCALENDAR", "--x--", ""],
    ].join("\r\n"),
  )
  const { id: emailId } = await receive(team, address, invitation)
  const forwarded = { emailId, from: `help@${team.domain}`, to: "success@simulator.amazonses.com" }
  const { id } = await ok(resend.emails.receiving.forward(forwarded))
  const { body } = await team.api.get(`/sandbox/messages?emailId=${id}&wait=30`)
  expect(body.data[0].attachments).toMatchObject([{ contentType: "text/calendar" }])
})
