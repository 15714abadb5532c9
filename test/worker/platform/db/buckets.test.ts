import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, expect, it } from "vitest"
import { databaseEnv } from "../../../../src/worker/platform/db/databases.ts"
import { deleteObjectsOfTeam, readObject } from "../../../../src/worker/platform/db/overflow.ts"
import type { Env } from "../../../../src/worker/platform/env.ts"
import { streamOf } from "../../../../src/worker/stream/stream-of.ts"
import { createInstallation, makeTeamElsewhere } from "../../../support/databases.ts"
import { workerEnv } from "../../../support/installation.ts"
import { makeTeam } from "../../../support/team.ts"

const DATABASES = '[{"number":2,"jurisdiction":"eu"}]'
/** Without what text compresses to: more than a row takes. */
const LARGE = Array.from({ length: 20_000 }, () => crypto.randomUUID().slice(0, 8)).join(" ")

/** An installation from before the bucket of its jurisdiction, and the same with it. */
const before = createInstallation({ DATABASES })
const after = createInstallation({ DATABASES, CONTENT_EU: env.SECOND_BUCKET })

let team: Awaited<ReturnType<typeof makeTeamElsewhere>>
beforeAll(async () => {
  await applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS)
  team = await makeTeamElsewhere()
})

const send = async ({ call }: typeof after, { authorization, domain } = team) => {
  const body = { from: `a@${domain}`, to: "b@example.com", subject: "Hi", text: LARGE }
  const reply = await call("POST", "/api/v1/emails", { authorization, body })
  expect(reply).toMatchObject({ status: 201 })
  return reply.body.id as string
}

const keysOf = async (bucket: R2Bucket, teamId: string) => {
  const { objects } = await bucket.list({ prefix: `content/${teamId}/` })
  return objects.map(({ key }) => key.split("/").at(-1))
}

it("contents are written to the bucket of the jurisdiction of the team's database", async () => {
  const [own, other] = [team, await makeTeam()]
  const id = await send(after)
  const elsewhere = await send(after, {
    ...own,
    authorization: `Bearer ${other.api.key}`,
    domain: other.domain,
  })
  expect(await keysOf(env.SECOND_BUCKET, own.id)).toContain(id)
  expect(await keysOf(env.CONTENT, own.id)).not.toContain(id)
  expect(await keysOf(env.CONTENT, other.id)).toEqual([elsewhere])
})

it("contents from before the jurisdiction had a bucket are read and deleted", async () => {
  const id = await send(before)
  expect(await keysOf(env.CONTENT, team.id)).toContain(id)
  const europe = databaseEnv(after.env, 2)
  expect(await readObject(europe, `content/${team.id}/${id}`)).not.toBeNull()
  await deleteObjectsOfTeam(europe, team.id)
  expect(await keysOf(env.CONTENT, team.id)).toEqual([])
  expect(await keysOf(env.SECOND_BUCKET, team.id)).toEqual([])
})

it("a stream's object is in the jurisdiction of the team's database", () => {
  const asked: string[] = []
  const TEAM_STREAM = {
    getByName: (name: string) => asked.push(name),
    jurisdiction: (name: string) => ({
      getByName: (team: string) => asked.push(`${name} ${team}`),
    }),
  } as unknown as Env["TEAM_STREAM"]
  const installation = { ...workerEnv(), DB_2: env.SECOND, DATABASES, TEAM_STREAM }
  streamOf(databaseEnv(installation, 1), "team_1")
  streamOf(databaseEnv(installation, 2), "team_2")
  expect(asked).toEqual(["team_1", "eu team_2"])
})
