import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { request } from "../../../support/api.ts"
import { PERSON_ROUND_TRIPS } from "../../../support/installation.ts"
import { metered } from "../../../support/meter.ts"
import { sessionOf } from "../../../support/session.ts"
import { addDomain, makeTeam, type Team } from "../../../support/team.ts"

async function overviewOf(team: Team) {
  const cookie = await sessionOf(team.id, "member")
  return () => request("GET", "/dashboard/api/overview", undefined, { cookie })
}

async function addWebhook(team: Team, url: string): Promise<string> {
  const { body } = await team.api.post("/webhooks", { url, events: ["email.sent"] })
  return body.id
}

describe("the overview", () => {
  it("warns of webhooks that the service disabled, not of those a person turned off", async () => {
    const team = await makeTeam()
    const read = await overviewOf(team)
    const failing = await addWebhook(team, "https://failing.example.com/hook")
    const paused = await addWebhook(team, "https://paused.example.com/hook")
    await team.api.patch(`/webhooks/${paused}`, { enabled: false })
    await env.DB.prepare(
      "update webhooks set enabled = 0, disabled_reason = 'Failed.' where team_id = ? and id = ?",
    )
      .bind(team.id, failing)
      .run()
    const { alerts } = (await read()).body
    expect(alerts.map(({ id }: { id: string }) => id)).toEqual([failing])
  })

  it("names a failed domain, and what is left to set up, in one round trip", async () => {
    const team = await makeTeam()
    const read = await overviewOf(team)
    const id = await addDomain(team.id, `failed.${team.domain}`, "failed")
    const meter = await metered(async () => {
      expect((await read()).body).toMatchObject({
        usual: null,
        alerts: [{ kind: "domain", level: "critical", id, label: `failed.${team.domain}` }],
        checklist: { domainVerified: true, firstEmailSent: false, webhookCreated: false },
      })
    })
    expect(meter).toMatchObject({ roundTrips: 1 + 2 * PERSON_ROUND_TRIPS, rowsWritten: 0 })
  })
})
