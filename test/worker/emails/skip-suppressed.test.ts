import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { eraseAddress } from "../../../src/worker/erasure/erase.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { eventually } from "../../support/eventually.ts"
import { acceptForLater, afterThat } from "../../support/mail.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const [ANN, BOB, CAT] = ["ann@example.com", "bob@example.com", "cat@example.com"]

async function suppress(team: Team, email: string, reason = "manual") {
  await team.api.post("/suppressions", { email })
  await env.DB.prepare("update suppressions set reason = ? where team_id = ? and email = ?")
    .bind(reason, team.id, email)
    .run()
}

const message = (team: Team, input: object) => ({
  from: `a@${team.domain}`,
  subject: "Hello",
  text: "Hi",
  onSuppressed: "skip",
  ...input,
})

const read = async (team: Team, id: string) => (await team.api.get(`/emails/${id}`)).body

const inbox = async (team: Team, id: string) => {
  const { body } = await team.api.get("/sandbox/messages")
  return body.data.find((one: { emailId: string }) => one.emailId === id)
}

const inboxOf = async (team: Team, address: string) => {
  const { body } = await team.api.get(`/sandbox/messages?to=${address}`)
  return body.data.map((one: { emailId: string }) => one.emailId)
}

interface Entry {
  type: string
  recipients?: string[]
  reason?: string
}

const entry = (events: Entry[], type: string) => events.filter((one) => one.type === type)

/** Sends an email after what happens meanwhile. */
async function sendLater(team: Team, input: object, meanwhile: () => Promise<unknown>) {
  const id = await acceptForLater(team, { onSuppressed: "skip", ...input })
  await meanwhile()
  const { work } = testWork({ clock: makeClock(afterThat()) })
  await dispatchEmails(work, [{ teamId: team.id, emailId: id }])
  return { id, email: await read(team, id) }
}

describe("an email that skips suppressed recipients", () => {
  it("goes to the others, and its timeline and headers name the skipped", async () => {
    const team = await makeTeam()
    await suppress(team, BOB)
    const { status, body } = await team.api.post(
      "/emails",
      message(team, { to: [ANN, `Bob <${BOB}>`], cc: BOB, bcc: CAT }),
    )
    expect(status).toBe(201)
    await eventually(async () => {
      const email = await read(team, body.id)
      expect(email).toMatchObject({ status: "delivered", to: [ANN, `Bob <${BOB}>`], cc: [BOB] })
      expect(email.events.map((one: Entry) => one.type)).toEqual([
        "suppressed",
        "sent",
        "delivered",
        "delivered",
      ])
      expect(entry(email.events, "suppressed")).toMatchObject([{ recipients: [BOB] }])
    })
    const kept = await inbox(team, body.id)
    expect(kept.envelope.to).toEqual([ANN, CAT])
    expect(await inboxOf(team, CAT)).toEqual([body.id])
    expect(await inboxOf(team, BOB)).toEqual([])
    expect(kept.headers).toMatchObject({ to: `${ANN}, Bob <${BOB}>`, cc: BOB })
  })

  it.each(["cc", "bcc"])("goes to a %s alone", async (as) => {
    const team = await makeTeam()
    await suppress(team, ANN)
    const { body } = await team.api.post("/emails", message(team, { to: ANN, [as]: BOB }))
    await eventually(async () => expect((await read(team, body.id)).status).toBe("delivered"))
    expect((await inbox(team, body.id)).envelope.to).toEqual([BOB])
  })

  it.each([undefined, new Date(Date.now() + 3_600_000).toISOString()])(
    "is cancelled at once when nobody is left (scheduledAt: %s)",
    async (scheduledAt) => {
      const team = await makeTeam()
      await suppress(team, ANN)
      await suppress(team, BOB, "complaint")
      const { status, body } = await team.api.post(
        "/emails",
        message(team, { to: ANN, cc: BOB, scheduledAt }),
      )
      expect(status).toBe(201)
      const email = await read(team, body.id)
      expect(email.status).toBe("cancelled")
      expect(email.events).toMatchObject([
        { type: "suppressed", recipients: [ANN, BOB] },
        { type: "cancelled", reason: "suppressed_recipient", recipients: [ANN, BOB] },
      ])
      expect(await inbox(team, body.id)).toBeUndefined()
    },
  )

  it("leaves out whoever is suppressed before the hand-over", async () => {
    const team = await makeTeam()
    const { email, id } = await sendLater(team, { to: [ANN, BOB] }, () => suppress(team, ANN))
    expect(entry(email.events, "suppressed")).toMatchObject([{ recipients: [ANN] }])
    expect((await inbox(team, id)).envelope.to).toEqual([BOB])
  })

  it("is cancelled when all are suppressed before the hand-over", async () => {
    const team = await makeTeam()
    const { email, id } = await sendLater(team, { to: [ANN, BOB] }, () =>
      Promise.all([suppress(team, ANN), suppress(team, BOB)]),
    )
    expect(email).toMatchObject({ status: "cancelled" })
    expect(email.events).toMatchObject([
      { type: "suppressed", recipients: [ANN, BOB] },
      { type: "cancelled", recipients: [ANN, BOB] },
    ])
    expect(await inbox(team, id)).toBeUndefined()
  })

  it("mails whoever is no longer suppressed at the hand-over", async () => {
    const team = await makeTeam()
    await suppress(team, ANN)
    const { email, id } = await sendLater(team, { to: [ANN, BOB] }, () =>
      team.api.delete(`/suppressions/${ANN}`),
    )
    expect(entry(email.events, "suppressed")).toEqual([])
    expect((await inbox(team, id)).envelope.to).toEqual([ANN, BOB])
  })

  it("never mails an erased address", async () => {
    const team = await makeTeam()
    const { work } = testWork()
    await eraseAddress(createKeyCtx(work, sha256Hex(team.api.key), "full"), ANN)
    const alone = await team.api.post("/emails", message(team, { to: ANN }))
    expect((await read(team, alone.body.id)).status).toBe("cancelled")
    const { id } = await sendLater(team, { to: [ANN, BOB] }, async () => {})
    expect((await inbox(team, id)).envelope.to).toEqual([BOB])
  })

  it("mails what an override lets through, and skips the rest", async () => {
    const team = await makeTeam()
    await suppress(team, ANN)
    await suppress(team, BOB, "complaint")
    const { body } = await team.api.post(
      "/emails",
      message(team, { to: [ANN, BOB], overrideSuppression: true }),
    )
    await eventually(async () => expect((await read(team, body.id)).status).toBe("delivered"))
    expect((await inbox(team, body.id)).envelope.to).toEqual([ANN])
    const asSendingOnly = await team.sendingOnly.post(
      "/emails",
      message(team, { to: [ANN, BOB], overrideSuppression: true }),
    )
    expect((await read(team, asSendingOnly.body.id)).status).toBe("cancelled")
  })

  it("is one item of a batch, beside one that refuses", async () => {
    const team = await makeTeam()
    await suppress(team, ANN)
    const skips = message(team, { to: [ANN, BOB] })
    const refuses = message(team, { to: [ANN, BOB], onSuppressed: "refuse" })
    const refused = await team.api.post("/emails/batch", [skips, refuses])
    expect([refused.status, refused.body.error.details.index]).toEqual([422, 1])
    const { status, body } = await team.api.post("/emails/batch", [
      skips,
      message(team, { to: ANN }),
      message(team, { to: CAT, onSuppressed: undefined }),
    ])
    expect(status).toBe(201)
    const [some, none] = body.data
    expect((await read(team, none.id)).status).toBe("cancelled")
    await eventually(async () => expect((await read(team, some.id)).status).toBe("delivered"))
  })

  it("counts as one sent email, and as none when it is cancelled", async () => {
    const team = await makeTeam()
    await suppress(team, ANN)
    const success = "success@simulator.amazonses.com"
    const { body } = await team.api.post("/emails", message(team, { to: [ANN, success] }))
    await team.api.post("/emails", message(team, { to: ANN }))
    await eventually(async () => expect((await read(team, body.id)).status).toBe("delivered"))
    const { totals } = (await team.api.get("/stats/series")).body
    expect(totals).toMatchObject({ sent: 1, delivered: 1, bounced: { hard: 0, soft: 0 } })
  })

  it("answers a repeat with the same email", async () => {
    const team = await makeTeam()
    await suppress(team, ANN)
    const once = message(team, { to: ANN, idempotencyKey: "k" })
    const first = await team.api.post("/emails", once)
    const again = await team.api.post("/emails", once)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await read(team, first.body.id)).events).toHaveLength(2)
    const other = await team.api.post("/emails", { ...once, onSuppressed: "refuse" })
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"])
  })

  it("is accepted in one round trip", async () => {
    const team = await makeTeam()
    await team.api.post("/emails", message(team, { to: CAT }))
    const meter = await metered(async () => {
      expect((await team.api.post("/emails", message(team, { to: BOB }))).status).toBe(201)
    })
    expect(meter.roundTrips).toBe(1)
  })

  it("would be sent, says a check, and names who is left out", async () => {
    const team = await makeTeam()
    await suppress(team, ANN)
    const check = async (input: object) =>
      (await team.sendingOnly.post("/emails/check", message(team, input))).body
    const codes = ({ warnings }: { warnings: { code: string }[] }) =>
      warnings.map(({ code }) => code).filter((code) => code.startsWith("recipients"))
    const some = await check({ to: [ANN, BOB] })
    expect(some).toMatchObject({ wouldSend: true, refusal: null })
    expect(some.recipients[0].suppressed).toMatchObject({ reason: "manual" })
    expect(codes(some)).toEqual(["recipients_skipped"])
    expect(codes(await check({ to: BOB }))).toEqual([])
    expect((await check({ to: ANN, onSuppressed: "refuse" })).wouldSend).toBe(false)
  })

  it("refuses another value", async () => {
    const team = await makeTeam()
    const { status, body } = await team.api.post(
      "/emails",
      message(team, { to: ANN, onSuppressed: "drop" }),
    )
    expect([status, body.error.details]).toMatchObject([400, [{ path: ["onSuppressed"] }]])
  })

  it("is explained", async () => {
    const team = await makeTeam()
    await suppress(team, ANN)
    const success = "success@simulator.amazonses.com"
    const { body } = await team.api.post("/emails", message(team, { to: [ANN, success] }))
    await eventually(async () => expect((await read(team, body.id)).status).toBe("delivered"))
    const { summary } = (await team.api.get(`/emails/${body.id}/explain`)).body
    expect(summary).toContain(ANN)
  })
})
