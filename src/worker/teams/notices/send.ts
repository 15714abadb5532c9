import { and, asc, eq, sql } from "drizzle-orm"
import { formatMailbox } from "../../../lib/address.ts"
import { log, logError } from "../../../lib/log.ts"
import { CLOCKS_APART_MS, HOUR_MS } from "../../../lib/time.ts"
import { members, users } from "../../access/people/table.ts"
import { ctxOfTeam } from "../../access/team-ctx.ts"
import { acceptEmails } from "../../emails/accept/accept.ts"
import { sendInput } from "../../emails/send-input.ts"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, databaseNumber, hasOthers, workIn } from "../../platform/db/databases.ts"
import { isDueBy } from "../../platform/queues/due-work.ts"
import { teamDatabases, teams } from "../table.ts"
import { INSTALLATION } from "./keep.ts"
import { ownSender, type Verifier, verifierOf } from "./sender.ts"
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
  const database = databaseNumber(work.env)
  const { subject, text } = writeNotice(
    kind,
    hasOthers(work.env) ? { ...about, database } : about,
    work.settings.BASE_URL,
  )
  const ctx = ctxOfTeam(workIn(work, sender.database), sender.teamId)
  for (const { id, email } of owners) {
    const input = sendInput.parse({
      from: sender.from,
      to: email,
      subject,
      text,
      tags: { notice: kind },
      idempotencyKey: `notice:${teamId === INSTALLATION ? database : teamId}:${kind}:${day}:${id}`,
    })
    const accepted = await acceptEmails(ctx, [input])
    if (accepted.ok) continue
    log("error", { notice: kind, team: teamId, reason: accepted.refusals[0].error.code })
  }
}

interface Sender extends Verifier {
  from: string
  /** The team of those who run the installation. */
  operators: string
}

/** `SYSTEM_FROM`, if a team has verified its domain; otherwise a domain of the team. */
async function findSender(work: Work, teamId: string): Promise<Sender | null> {
  const { SYSTEM_FROM } = work.settings
  const own = SYSTEM_FROM && (await verifierOf(work, SYSTEM_FROM))
  if (own) return { ...own, from: formatMailbox(SYSTEM_FROM), operators: own.teamId }
  const first = await findFirstTeam(work)
  if (!first) return null
  const asked = teamId === INSTALLATION ? first : { teamId, database: databaseNumber(work.env) }
  const from = await ownSender(workIn(work, asked.database), [asked.teamId])
  return from && { ...asked, from: formatMailbox(from), operators: first.teamId }
}

/** The oldest team is that of those who run the installation. */
async function findFirstTeam({ directory }: Work): Promise<Verifier | undefined> {
  const [[here], [elsewhere]] = await directory.batch([
    directory
      .select({ teamId: teams.id, database: sql<number>`${DIRECTORY}` })
      .from(teams)
      .orderBy(asc(teams.id))
      .limit(1),
    directory
      .select({ teamId: teamDatabases.teamId, database: teamDatabases.database })
      .from(teamDatabases)
      .orderBy(asc(teamDatabases.teamId))
      .limit(1),
  ])
  const [first] = [here, elsewhere]
    .filter((team) => team !== undefined)
    .sort((a, b) => (a.teamId < b.teamId ? -1 : 1))
  return first
}

const readOwners = ({ directory }: Work, teamId: string | undefined) =>
  directory
    .select({ id: users.id, email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.teamId, teamId ?? ""), eq(members.role, "owner")))
    .limit(MOST_OWNERS)
