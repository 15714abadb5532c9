import { expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { readMarks } from "../../../src/worker/emails/list/marks.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { acceptForLater } from "../../support/mail.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

type Report = [type: Parameters<typeof reportOf>[1], data?: Parameters<typeof reportOf>[3]]

async function emailOf(team: Team, reports: Report[]): Promise<string> {
  const emailId = await acceptForLater(team, {})
  const { work } = testWork()
  await recordEvents(
    work,
    reports.map(([type, data], index) =>
      reportOf({ teamId: team.id, emailId }, type, Date.now() + index, data ?? {}, String(index)),
    ),
  )
  return emailId
}

const ctxOf = (team: Team) => createKeyCtx(testWork().work, sha256Hex(team.api.key), "full")

const marksOf = async (team: Team, ids: string[]) =>
  (await readMarks(ctxOf(team), ids)).data.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))

it("tells who opened and clicked, and why an email bounced", async () => {
  const team = await makeTeam()
  const recipients = ["ada@example.com"]
  const bounceType = "Permanent" as const
  const bounce = { recipients, bounceType, diagnosticCode: "550 5.1.1 unknown" }
  const opened = await emailOf(team, [["sent"], ["delivered", { recipients }], ["opened"]])
  const bounced = await emailOf(team, [["sent"], ["bounced", bounce]])
  const quiet = await emailOf(team, [["sent"]])
  const none = { reason: null, bounceType: null, diagnostic: null }
  expect(await marksOf(team, [opened, bounced, quiet, "em_unknown"])).toEqual([
    { id: opened, opened: true, clicked: false, ...none },
    {
      id: bounced,
      opened: false,
      clicked: false,
      reason: "The receiving server has no mailbox with this name.",
      bounceType,
      diagnostic: bounce.diagnosticCode,
    },
    { id: quiet, opened: false, clicked: false, ...none },
  ])
})

it("tells nothing of another team's emails", async () => {
  const [team, other] = [await makeTeam(), await makeTeam()]
  const id = await emailOf(other, [["sent"]])
  expect(await marksOf(team, [id])).toEqual([])
})
