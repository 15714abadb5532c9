import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { moveContents } from "../../../src/worker/emails/packs/move.ts"
import type { Provider } from "../../../src/worker/providers/provider.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const HOUR_MS = 3_600_000
const A_CYCLE = 300
const CYCLES = 3
const MAX_SETTLED_BYTES = 1.2 * 1024

const sesLike: Provider = {
  name: "sandbox",
  send: async () => ({
    ok: true,
    providerMessageId: `0102${crypto.randomUUID()}-000000`,
    acceptedAt: Date.now(),
  }),
}

async function databaseBytes(): Promise<number> {
  const { meta } = await env.DB.prepare("select 1").run()
  return meta.size_after
}

async function acceptHundred(team: Team): Promise<string[]> {
  const emails = Array.from({ length: 100 }, () => ({
    from: `hello@${team.domain}`,
    to: `ada.${crypto.randomUUID().slice(0, 5)}@example.com`,
    subject: "Your order has been shipped",
    html: Array.from({ length: 90 }, () => crypto.randomUUID()).join(" "),
    tags: { kind: "order", flow: "shipped" },
    scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(),
  }))
  const { body } = await team.api.post("/emails/batch", emails)
  return body.data.map(({ id }: { id: string }) => id)
}

/** The pages of contents that moved are free for the contents of the next cycle. */
async function deliverAndMove(team: Team): Promise<void> {
  for (let done = 0; done < A_CYCLE; done += 100) {
    const refs = (await acceptHundred(team)).map((emailId) => ({ teamId: team.id, emailId }))
    const { work, settled } = testWork({ clock: makeClock(Date.now() + HOUR_MS + 1_000) })
    await dispatchEmails(work, refs, { provider: sesLike })
    const recipients = ["ada.01234@example.com"]
    await recordEvents(
      work,
      refs.map((ref) => reportOf(ref, "delivered", Date.now(), { recipients })),
    )
    await settled()
    await env.DB.prepare("delete from stream_outbox").run()
  }
  await moveContents(testWork({ clock: makeClock(Date.now() + 3 * HOUR_MS) }).work)
}

it("a settled email whose content is in a pack takes at most 1.2 KB of the database", async () => {
  const team = await makeTeam()
  await deliverAndMove(team)
  const before = await databaseBytes()
  for (let cycle = 0; cycle < CYCLES; cycle++) await deliverAndMove(team)
  const { results } = await env.DB.prepare("select * from email_contents").all()
  expect(results).toEqual([])
  const bytes = ((await databaseBytes()) - before) / (CYCLES * A_CYCLE)
  expect(bytes).toBeLessThanOrEqual(MAX_SETTLED_BYTES)
}, 120_000)
