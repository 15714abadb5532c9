import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { DIRECTORY, workIn } from "../../../src/worker/platform/db/databases.ts"
import { purgeReceived } from "../../../src/worker/received/purge.ts"
import { receive as receiveByMail } from "../../../src/worker/received/taking/email.ts"
import { takeMessage } from "../../../src/worker/received/taking/take.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { makeInbox, messageTo, receive } from "../../support/receiving.ts"
import { addDomain, makeTeam } from "../../support/team.ts"
import { directoryWork, makeClock, testWork } from "../../support/work.ts"

/** As Cloudflare Email Routing hands a message in. */
async function mail(to: string, message: string, rawSize = message.length) {
  const rejected: string[] = []
  const { work, settled } = testWork()
  const incoming = {
    from: "ada@example.com",
    to,
    raw: new Blob([message]).stream(),
    rawSize,
    setReject: (reason: string) => rejected.push(reason),
  }
  await receiveByMail(workIn(work, DIRECTORY), incoming as unknown as ForwardableEmailMessage)
  await settled()
  return rejected
}

const handIn = (to: string) => `/received-emails?${new URLSearchParams({ to, from: "" })}`

it("shows what a message says", async () => {
  const team = await makeTeam()
  const inbox = await makeInbox(team)
  const message = messageTo(
    inbox.address,
    ["Cc: Bob <bob@example.com>"],
    "Where is it?\r\n\r\n> old",
  )
  const received = await receive(team, inbox.address, message)
  expect(received).toEqual({
    id: expect.stringMatching(/^rcv_/),
    inboxId: inbox.id,
    threadId: expect.stringMatching(/^thr_/),
    kind: "message",
    from: { email: "ada@example.com", name: "Ada Lovelace" },
    to: [{ email: inbox.address, name: null }],
    cc: [{ email: "bob@example.com", name: "Bob" }],
    replyTo: [],
    envelope: { from: "ada@example.com", to: inbox.address },
    subject: "Where is my order?",
    messageId: expect.stringMatching(/^<.*@example.com>$/),
    inReplyTo: null,
    references: [],
    attachments: [],
    sender: { state: "unverified", domain: null, dkim: [] },
    answersEmailId: null,
    parsed: true,
    size: message.length,
    read: false,
    createdAt: expect.any(String),
    text: "Where is it?\n\n> old",
    html: null,
    replyText: "Where is it?",
    headers: expect.arrayContaining([{ name: "Subject", value: "Where is my order?" }]),
  })
  const raw = await team.api.get(`/received-emails/${received.id}/raw`)
  expect(raw.headers.get("content-type")).toBe("message/rfc822")
  expect(raw.body).toBe(message)
})

it.each([
  ["Übersicht März", ["Übersicht", "übersicht MÄRZ", "ÜBERSICHT"]],
  ["Re: Ваш ЗАКАЗ", ["Ваш заказ", "ваш", "RE: ВАШ ЗАКАЗ"]],
  ["İstanbul's ΟΔΟΣ straße", ["İstanbul's", "οδος", "STRAß"]],
])("finds the subject %j by a part of it, whatever the case", async (subject, parts) => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const message = messageTo(address).replace("Where is my order?", subject)
  const { id } = await receive(team, address, message)
  for (const part of parts) {
    const { body } = await team.api.get(`/received-emails?subject=${encodeURIComponent(part)}`)
    expect([part, body.data]).toMatchObject([part, [{ id }]])
  }
  const { body } = await team.api.get(`/received-emails?subject=${encodeURIComponent("ößжЖλ")}`)
  expect(body.data).toEqual([])
})

it("searches for a subject of many letters", async () => {
  const team = await makeTeam()
  const letters = Array.from({ length: 900 }, (_, i) => String.fromCodePoint(0x100 + i)).join("")
  const path = `/received-emails?subject=${encodeURIComponent(letters)}`
  expect((await team.api.get(path)).status).toBe(200)
})

it("takes the same message to the same inbox once, whatever servers added on the way", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const message = messageTo(address)
  const first = await team.api.post(handIn(address), message)
  expect(first.status).toBe(201)
  const again = await team.api.post(
    handIn(address),
    `Received: by a\r\n b\r\nDelivered-To: x@y.z\r\nARC-Seal: 1\r\n${message}`,
  )
  expect(again).toMatchObject({ status: 200, body: first.body })
  expect((await env.CONTENT.list({ prefix: `received/${team.id}/` })).objects).toHaveLength(1)
  await team.api.delete(`/received-emails/${first.body.id}`)
  expect((await team.api.post(handIn(address), message)).body).toEqual(first.body)
  const other = await makeInbox(team, "sales")
  expect((await team.api.post(handIn(other.address), message)).status).toBe(201)
})

it("refuses an unknown recipient, a message over 25 MiB and a domain that does not receive", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  expect((await team.api.post(handIn(`nobody@${team.domain}`), "a: b")).status).toBe(404)
  const stranger = await makeTeam()
  expect((await stranger.api.post(handIn(address), "a: b")).status).toBe(404)
  const large = new Uint8Array(25 * 1024 * 1024 + 1)
  expect((await team.api.post(handIn(address), large)).status).toBe(413)
  await team.api.patch(`/domains/${team.domainId}`, { receiving: "off" })
  expect((await team.api.post(handIn(address), "a: b")).status).toBe(404)
})

it("takes 60 messages a minute for an inbox", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const replies = await Promise.all(
    Array.from({ length: 65 }, () => team.api.post(handIn(address), messageTo(address))),
  )
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(5)
  expect(refused[0]?.headers.get("retry-after")).toBe("60")
  const other = await makeInbox(team, "sales")
  expect((await team.api.post(handIn(other.address), messageTo(address))).status).toBe(201)
})

it("takes what comes by mail, in the database of its team", async () => {
  const team = await makeTeam()
  const inbox = await makeInbox(team)
  const subjects = async () =>
    (await team.api.get("/received-emails")).body.data.map(
      ({ envelope }: { envelope: { to: string } }) => envelope.to,
    )
  expect(await mail(inbox.address.toUpperCase(), messageTo(inbox.address))).toEqual([])
  expect(await mail(inbox.forwardingAddress, messageTo(inbox.address))).toEqual([])
  expect(await subjects()).toEqual([inbox.forwardingAddress, inbox.address])
  const unknown = [`nobody@${team.domain}`, "a@elsewhere.test", "no address"]
  for (const to of unknown)
    expect(await mail(to, messageTo(to))).toEqual([expect.stringMatching(/^550 5\.1\.1 /)])
  expect(await mail(inbox.address, "a: b", 26 * 1024 * 1024)).toEqual([
    expect.stringMatching(/^552 5\.3\.4 /),
  ])
  await makeInbox(team, "*")
  expect(await mail(`nobody@${team.domain}`, messageTo("nobody"))).toEqual([])
  expect((await subjects())[0]).toBe(`nobody@${team.domain}`)
})

it("asks a sender to try again after a fault of ours", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const work = directoryWork()
  const incoming = {
    from: "",
    to: address,
    raw: new ReadableStream({ pull: (controller) => controller.error(new Error("cut off")) }),
    rawSize: 5,
  }
  await expect(
    receiveByMail(work, incoming as unknown as ForwardableEmailMessage),
  ).rejects.toThrow()
  expect((await team.api.get("/received-emails")).body.data).toEqual([])
  await env.DB.prepare("update domains set status = 'pending' where id = ?")
    .bind(team.domainId)
    .run()
  await expect(mail(address, messageTo(address))).rejects.toThrow("not verified")
})

it("leaves nothing of an upload whose process died before its row, and keeps what has one", async () => {
  const team = await makeTeam()
  const { id: inboxId, address } = await makeInbox(team)
  const kept = await receive(team, address, messageTo(address))
  const clock = makeClock()
  const { work } = testWork({ clock })
  const DB = interruptedDb(/into received_emails/, () => Promise.reject(new Error("gone")))
  const { work: dying } = testWork({ settings: { DB } })
  const message = new Blob(["a: b"]).stream()
  const incoming = {
    teamId: team.id,
    inboxId,
    envelope: { from: "", to: address },
    message,
    size: 4,
  }
  await expect(takeMessage(dying, incoming)).rejects.toThrow()
  const keys = async () =>
    (await env.CONTENT.list({ prefix: `received/${team.id}/` })).objects.map(({ key }) => key)
  // A sweep takes twenty inboxes.
  const sweep = async () => {
    for (let times = 0; times < 3; times++) await purgeReceived(work)
  }
  await sweep()
  expect(await keys()).toHaveLength(2)
  clock.advance(25 * 60 * 60 * 1000)
  await sweep()
  expect(await keys()).toEqual([`received/${team.id}/${kept.id}`])
})

it.each(["\n", "\r", "\r\n"])("reads a large message whose lines end with %j", async (end) => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const line = "Where is it? "
  const lines = [
    ...["From: ada@example.com", "Content-Type: multipart/mixed; boundary=b", ""],
    ...["--b", "", "Hi", "--b", "Content-Type: application/pdf; name=a.pdf", ""],
    ...Array(100_000).fill(line),
    ...["--b--", ""],
  ]
  const { id, text, attachments } = await receive(team, address, lines.join(end))
  const size = 100_000 * (line.length + 2) - 2
  expect([text, attachments]).toEqual(["Hi", [expect.objectContaining({ size })]])
  const file = await team.api.get(`/received-emails/${id}/attachments/${attachments[0].id}`)
  expect(file.body).toBe(Array(100_000).fill(line).join("\r\n"))
})

it("lets only a verified domain take mail", async () => {
  const team = await makeTeam()
  const id = await addDomain(team.id, `new-${team.domain}`, "pending")
  const refused = await team.api.patch(`/domains/${id}`, { receiving: "forward" })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "conflict" } } })
  const { body } = await team.api.patch(`/domains/${team.domainId}`, { receiving: "forward" })
  const active = { mode: "forward", status: "active", records: [], lastError: null }
  expect(body.receiving).toEqual(active)
  expect((await team.api.get(`/domains/${team.domainId}`)).body.receiving).toEqual(active)
})

it("holds a few chunks of a large message at most", async () => {
  const team = await makeTeam()
  const inbox = await makeInbox(team)
  const [size, chunk] = [25 * 1024 * 1024, 64 * 1024]
  const head = new TextEncoder().encode("Subject: Large\r\n\r\n")
  let [given, taken, held] = [0, 0, 0]
  const message = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (given === size) return controller.close()
        held = Math.max(held, given - taken)
        const bytes = new Uint8Array(Math.min(chunk, size - given))
        if (given === 0) bytes.set(head)
        given += bytes.length
        controller.enqueue(bytes)
      },
    },
    { highWaterMark: 0 },
  )
  const put = async (_: string, stream: ReadableStream<Uint8Array>) => {
    for await (const { length } of stream) taken += length
  }
  const { work } = testWork({ settings: { CONTENT: { put } as unknown as R2Bucket } })
  const recipient = { teamId: team.id, inboxId: inbox.id }
  const envelope = { from: "", to: inbox.address }
  await takeMessage({ ...work, defer() {} }, { ...recipient, envelope, message, size })
  expect(taken).toBe(size)
  expect(held).toBeLessThanOrEqual(4 * chunk)
})

it("finds a sender by the name of a domain as people write it", async () => {
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  const message = messageTo(address).replace("ada@example.com", "ada@xn--bcher-kva.test")
  const { id } = await receive(team, address, message)
  for (const from of ["ada@bücher.test", "@Bücher.test"]) {
    const { body } = await team.api.get(`/received-emails?from=${encodeURIComponent(from)}`)
    expect(body.data).toMatchObject([{ id }])
  }
})
