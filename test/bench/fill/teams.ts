import { type FilledTeam, fillEmails, type Target } from "./emails.ts"
import { fillDeliveries } from "./webhooks.ts"

const EMAILS_A_TEAM = 100
/** Such as a team that is told about each delivery. */
const SUBSCRIBED_TO = "delivered"

/** Teams with little mail each. The first ones have a webhook, whose receiver is nobody. */
export async function fillTeams(
  target: Target,
  { teams, webhooks }: { teams: number; webhooks: number },
): Promise<void> {
  for (let number = 0; number < teams; number++) {
    const team = await createTeam(target.db, number)
    await fillEmails(target, team, { from: 0, to: EMAILS_A_TEAM })
    if (number < webhooks) await createWebhook(target.db, team.teamId, number)
  }
}

async function createTeam(db: D1Database, number: number): Promise<FilledTeam> {
  const id = (prefix: string) => `${prefix}_${String(number).padStart(26, "0")}`
  const [teamId, domainId, name] = [id("team"), id("dom"), `team-${number}.test`]
  await db.batch([
    db.prepare("insert into teams (id, name, created_at) values (?, ?, 0)").bind(teamId, name),
    db
      .prepare(
        `insert into domains (team_id, id, name, status, provider, created_at, verified_at)
         values (?, ?, ?, 'verified', 'sandbox', 0, 0)`,
      )
      .bind(teamId, domainId, name),
  ])
  return { teamId, domainId }
}

async function createWebhook(db: D1Database, teamId: string, number: number) {
  const webhookId = `wh_${String(number).padStart(26, "0")}`
  await db
    .prepare(
      `insert into webhooks (team_id, id, url, events, secret, created_at, updated_at)
       values (?, ?, ?, ?, '', 0, 0)`,
    )
    .bind(
      ...[teamId, webhookId, `https://receiver-${number}.example/hook`],
      JSON.stringify([`email.${SUBSCRIBED_TO}`]),
    )
    .run()
  await fillDeliveries(db, { teamId, webhookId, type: SUBSCRIBED_TO })
}
