import { and, asc, eq, sql } from "drizzle-orm"
import { formatMailbox } from "../../../lib/address.ts"
import { log, logError } from "../../../lib/log.ts"
import { CLOCKS_APART_MS, HOUR_MS } from "../../../lib/time.ts"
import { members, users } from "../../access/people/table.ts"
import { acceptEmails } from "../../emails/accept/accept.ts"
import { sendInput } from "../../emails/send-input.ts"
import type { Ctx, ScopeText, Work } from "../../platform/context.ts"
import { createCtx } from "../../platform/create-context.ts"
import type { CallerRow } from "../../platform/db/caller.ts"
import { resultColumns } from "../../platform/db/columns.ts"
import { type Placeholders, prepared } from "../../platform/db/prepared.ts"
import { isDueBy } from "../../platform/queues/due-work.ts"
import { teams } from "../table.ts"
import { INSTALLATION } from "./keep.ts"
import { ownSender, verifierOf } from "./sender.ts"
import { type NoticeRow, notices } from "./table.ts"
import { writeNotice } from "./texts.ts"

const NOTICES_A_MINUTE = 20
const MOST_OWNERS = 20

/**
 * Mails notices to the owners. The mail is an ordinary email of the sending team, which its members
 * can read, so it has no secrets.
 */
export async function sendNotices(work: Work): Promise<void> {
  const due = await work.db
    .select()
    .from(notices)
    .where(isDueBy(notices.dueAt, work.now(), HOUR_MS + CLOCKS_APART_MS))
    .orderBy(notices.dueAt)
    .limit(NOTICES_A_MINUTE)
  for (const notice of due) {
    const dueAt = await sendNotice(work, notice).then(
      () => null,
      (error: unknown) => {
        logError(error, { notice: notice.kind, team: notice.teamId })
        return work.now() + HOUR_MS
      },
    )
    await work.db
      .update(notices)
      .set({ dueAt })
      .where(
        and(
          eq(notices.teamId, notice.teamId),
          eq(notices.kind, notice.kind),
          eq(notices.day, notice.day),
        ),
      )
  }
}

/** A repeated call sends nothing twice: the key of each email is that of its notice. */
async function sendNotice(work: Work, { teamId, kind, day, about }: NoticeRow): Promise<void> {
  const sender = await findSender(work, teamId)
  const owners = await readOwners(work, teamId === INSTALLATION ? sender?.operators : teamId)
  if (!sender || owners.length === 0) {
    log("error", { notice: kind, team: teamId, reason: sender ? "no owner" : "no verified domain" })
    return
  }
  const { subject, text } = writeNotice(kind, about, work.settings.BASE_URL)
  for (const { id, email } of owners) {
    const input = sendInput.parse({
      from: sender.from,
      to: email,
      subject,
      text,
      tags: { notice: kind },
      idempotencyKey: `notice:${teamId}:${kind}:${day}:${id}`,
    })
    const accepted = await acceptEmails(createTeamCtx(work, sender.teamId), [input])
    if (accepted.ok) continue
    log("error", { notice: kind, team: teamId, reason: accepted.refusals[0].error.code })
  }
}

interface Sender {
  /** The team that has verified the domain. */
  teamId: string
  from: string
  /** The team of those who run the installation. */
  operators: string
}

/** `SYSTEM_FROM`, if a team has verified its domain; otherwise a domain of the team. */
async function findSender(work: Work, teamId: string): Promise<Sender | null> {
  const { SYSTEM_FROM } = work.settings
  const [first] = await work.db.select({ id: teams.id }).from(teams).orderBy(asc(teams.id)).limit(1)
  if (!first) return null
  const own = SYSTEM_FROM && (await verifierOf(work, SYSTEM_FROM))
  if (own) return { teamId: own, from: formatMailbox(SYSTEM_FROM), operators: own }
  const asked = teamId === INSTALLATION ? first.id : teamId
  const from = await ownSender(work, [asked])
  return from && { teamId: asked, from: formatMailbox(from), operators: first.id }
}

const readOwners = (work: Work, teamId: string | undefined) =>
  work.db
    .select({ id: users.id, email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.teamId, teamId ?? ""), eq(members.role, "owner")))
    .limit(MOST_OWNERS)

/** The context of a call that the service makes for a team. */
function createTeamCtx(work: Work, teamId: string): Ctx {
  return createCtx(work, {
    read: selectTeam(work, { teamId }),
    check([team]) {
      if (!team) throw new Error("The team is gone")
      return { team, permission: "full", key: null, session: null }
    },
    team: () => sql`select ${teamId}`,
    scope: { text: SCOPE_OF_TEAM, values: { teamId } },
  })
}

const selectTeam = prepared((db, { teamId }: Placeholders<"teamId">) =>
  db.select({ id: teams.id, name: teams.name }).from(teams).where(eq(teams.id, teamId)),
)

const TEAM = sql.placeholder("teamId")

const SCOPE_OF_TEAM: ScopeText = {
  team: sql<string>`${TEAM}`,
  callerRow: sql`select ${resultColumns({
    team_id: TEAM,
    permission: sql`'full'`,
    domain_id: sql`null`,
    key_id: sql`null`,
  } satisfies CallerRow)}`,
}
