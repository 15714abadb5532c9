import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { firstIdAt } from "../../src/lib/id.ts"
import { createInstallation, makeTeamElsewhere } from "../support/databases.ts"
import { askFor, goOn, moveOf } from "../support/moving.ts"

const EMAILS = Number(env.MOVED_EMAILS || 20_000)
const AT_ONCE = 10_000
const MINUTES = 60_000

/** Settled emails with a recipient, two tags and two entries each. */
async function addEmails(teamId: string, domainId: string) {
  const prefix = firstIdAt("email", Date.now()).slice(0, -16)
  for (let from = 0; from < EMAILS; from += AT_ONCE) {
    const rows = `with recursive n (i) as (select ${from} union all select i + 1 from n where i + 1 < ${Math.min(EMAILS, from + AT_ONCE)})`
    const id = `'${prefix}' || printf('%016d', i)`
    await env.SECOND.batch(
      [
        `insert into emails (team_id, id, status, sender, recipients, subject, tags, domain_id, created_at, sent_at, provider_message_id, not_before, event_types)
         ${rows} select '${teamId}', ${id}, 'delivered', '{"address":"a@b.test","name":null}', '[{"as":"to","address":"person' || i || '@example.com"}]',
           'Your order ' || i || ' is on its way', '{"kind":"order","shop":"north"}', '${domainId}', ${Date.now()} - i, ${Date.now()} - i, 'sb:' || ${id}, 0, 3 from n`,
        `insert into email_recipients ${rows} select '${teamId}', 'person' || i || '@example.com', ${id} from n`,
        `insert into email_tags ${rows} select '${teamId}', t.value, ${id} from n, json_each('["kind","kind:order","shop","shop:north"]') t`,
        `insert into email_events ${rows} select '${teamId}', ${id}, 'evt_' || i || t.value, t.value, ${Date.now()} - i, '{"recipients":["person' || i || '@example.com"]}' from n, json_each('["sent","delivered"]') t`,
      ].map((sql) => env.SECOND.prepare(sql)),
    )
  }
}

it(`moves a team with ${EMAILS} emails`, { timeout: 30 * MINUTES }, async () => {
  await applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS)
  const installation = createInstallation()
  const team = await makeTeamElsewhere()
  await addEmails(team.id, team.domainId)
  await askFor(team.id, 2, 1)
  const startedAt = Date.now()
  let rounds = 0
  for (; ((await moveOf(team.id))?.openedAt ?? null) === null; rounds++) {
    await goOn(installation.env)
    // The team works meanwhile.
    const reply = await installation.call("POST", "/api/v1/emails", {
      authorization: team.authorization,
      body: { from: `a@${team.domain}`, to: "x@example.com", subject: "Hi", text: "Hi" },
    })
    expect([201, 503]).toContain(reply.status)
  }
  const { fencedAt, openedAt, moved } = (await moveOf(team.id)) ?? {}
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(
    `${EMAILS} emails, ${moved} rows: copied in ${seconds((fencedAt ?? 0) - startedAt)} s and ${rounds} invocations, fenced for ${seconds((openedAt ?? 0) - (fencedAt ?? 0))} s`,
  )
})
