import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { createInstallation, makeTeamElsewhere } from "../support/databases.ts"
import { askFor, goOn, moveOf } from "../support/moving.ts"
import { fillEmails } from "./fill/emails.ts"

const EMAILS = Number(env.MOVED_EMAILS || 20_000)
const MINUTES = 60_000

it(`moves a team with ${EMAILS} emails`, { timeout: 30 * MINUTES }, async () => {
  await applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS)
  const installation = createInstallation()
  const team = await makeTeamElsewhere()
  await fillEmails(
    { db: env.SECOND },
    { teamId: team.id, domainId: team.domainId },
    { from: 0, to: EMAILS },
  )
  await askFor(team.id, 2, 1)
  const startedAt = Date.now()
  let rounds = 0
  for (; ((await moveOf(team.id))?.openedAt ?? null) === null; rounds++) {
    await goOn(installation.env)
    // Refused while the team is copied.
    const reply = await installation.call("POST", "/api/v1/emails", {
      authorization: team.authorization,
      body: { from: `a@${team.domain}`, to: "x@example.com", subject: "Hi", text: "Hi" },
    })
    expect([201, 503]).toContain(reply.status)
  }
  const { fencedAt, openedAt, moved } = (await moveOf(team.id)) ?? {}
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(
    `${EMAILS} emails, ${moved} rows: ${rounds} invocations in ${seconds((openedAt ?? 0) - startedAt)} s, without writes for ${seconds((openedAt ?? 0) - (fencedAt ?? 0))} s`,
  )
})
