import { env } from "cloudflare:workers"
import { afterEach, describe, expect, it, vi } from "vitest"
import { seal, unseal } from "../../../src/lib/seal.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { askRotation, COUNT_BY_KEY } from "../../../src/worker/webhooks/reseal.sql.ts"
import { resealSecrets } from "../../../src/worker/webhooks/reseal.ts"
import { makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`
const OLD = { ENCRYPTION_KEYS: key("old", 1) }
const BOTH = { ENCRYPTION_KEYS: `${key("new", 2)},${key("old", 1)}` }
const NEW = { ENCRYPTION_KEYS: key("new", 2) }

afterEach(() => vi.restoreAllMocks())

const idOf = (index: number) => `wh_${String(index).padStart(6, "0")}`

async function addWebhooks(count: number) {
  const { id: teamId } = await makeTeam()
  const rows = Array.from({ length: count }, (_, index) => ({
    id: idOf(index),
    secret: seal(OLD, idOf(index), `secret ${index}`),
  }))
  await env.DB.prepare(
    `insert into webhooks (team_id, id, url, events, secret, created_at, updated_at)
     select ?, value ->> 'id', 'https://hooks.test', '[]', value ->> 'secret', 0, 0 from json_each(?)`,
  )
    .bind(teamId, JSON.stringify(rows))
    .run()
  const secrets = async () => {
    const { results } = await env.DB.prepare("select id, secret from webhooks where team_id = ?")
      .bind(teamId)
      .all<{ id: string; secret: string }>()
    return results
  }
  return { teamId, secrets }
}

async function addForms(
  start: number,
  count: number,
  sealed = (id: string) => seal(OLD, id, "turnstile"),
) {
  const { id: teamId } = await makeTeam()
  const rows = Array.from({ length: count }, (_, index) => {
    const id = `frm_${start + index}`
    return { id, secret: sealed(id) }
  })
  await env.DB.prepare(
    `insert into forms (team_id, id, book_id, name, fields, wording, turnstile_secret, created_at, updated_at)
     select ?, value ->> 'id', 'cb_1', 'A', '[]', 'A', value ->> 'secret', 0, 0 from json_each(?)`,
  )
    .bind(teamId, JSON.stringify(rows))
    .run()
}

const ask = () => env.DB.prepare(askRotation(Date.now())).run()
const counts = async () => (await env.DB.prepare(COUNT_BY_KEY).all()).results
const asked = () => env.DB.prepare("select * from key_rotations").first()
const run = (settings: Partial<Env> = BOTH, db?: D1Database) =>
  resealSecrets(testWork({ settings: { ...settings, ...(db && { DB: db }) } }).work)

describe("a rotation of the encryption keys", () => {
  it("seals the Turnstile secrets of forms, too", async () => {
    await addForms(1, 1)
    expect(await counts()).toEqual([{ key: "old", secrets: 1 }])
    await ask()
    await run()
    expect(await counts()).toEqual([{ key: "new", secrets: 1 }])
    const row = await env.DB.prepare("select turnstile_secret as secret from forms").first<{
      secret: string
    }>()
    expect(unseal(NEW, "frm_1", row?.secret ?? "")).toBe("turnstile")
    await env.DB.exec("delete from forms")
  })

  it("reaches a secret behind many whose key is gone", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {})
    for (const start of [0, 100]) await addForms(start, 100, () => "gone:AAAA")
    await addForms(200, 1)
    await ask()
    await run()
    expect(await counts()).toEqual([
      { key: "gone", secrets: 200 },
      { key: "new", secrets: 1 },
    ])
    expect(await asked()).toBeNull()
    await env.DB.exec("delete from forms")
  })

  it("seals every secret with the first key on request", async () => {
    const { secrets } = await addWebhooks(450)
    await run()
    expect(await counts()).toEqual([{ key: "old", secrets: 450 }])
    await ask()
    await run()
    expect(await counts()).toEqual([{ key: "new", secrets: 450 }])
    for (const { id, secret } of await secrets()) {
      expect(unseal(NEW, id, secret)).toBe(`secret ${Number(id.slice(3))}`)
    }
    expect(await asked()).toBeNull()
    const before = await secrets()
    await ask()
    await run()
    expect(await secrets()).toEqual(before)
    await env.DB.exec("delete from webhooks")
  })

  it("continues at its last position after the process died", async () => {
    const { secrets } = await addWebhooks(450)
    await ask()
    let batches = 0
    const dying = new Proxy(env.DB, {
      get(db, name) {
        if (name !== "batch") return Reflect.get(db, name).bind(db)
        return (statements: D1PreparedStatement[]) => {
          if (++batches === 2) throw new Error("The process died")
          return db.batch(statements)
        }
      },
    })
    await expect(run(BOTH, dying)).rejects.toThrow("The process died")
    expect(await counts()).toEqual([
      { key: "new", secrets: 200 },
      { key: "old", secrets: 250 },
    ])
    expect(await asked()).toMatchObject({ webhook_id: idOf(199) })
    await run()
    expect(await counts()).toEqual([{ key: "new", secrets: 450 }])
    for (const { id, secret } of await secrets()) unseal(NEW, id, secret)
    await env.DB.exec("delete from webhooks")
  })

  it("leaves a secret without a key, and a secret that is changed meanwhile", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {})
    const { teamId, secrets } = await addWebhooks(3)
    const set = (index: number, secret: string) =>
      env.DB.prepare("update webhooks set secret = ? where team_id = ? and id = ?")
        .bind(secret, teamId, idOf(index))
        .run()
    await set(0, "gone:AAAA")
    await ask()
    const changed = seal(OLD, idOf(1), "changed meanwhile")
    const racing = new Proxy(env.DB, {
      get(db, name) {
        if (name !== "batch") return Reflect.get(db, name).bind(db)
        return async (statements: D1PreparedStatement[]) => {
          await set(1, changed)
          return db.batch(statements)
        }
      },
    })
    await run(BOTH, racing)
    const [gone, meanwhile, sealed] = await secrets()
    expect([gone?.secret, meanwhile?.secret]).toEqual(["gone:AAAA", changed])
    expect(unseal(NEW, idOf(2), sealed?.secret ?? "")).toBe("secret 2")
    expect(log).toHaveBeenCalledWith(expect.stringContaining("no key 'gone'"))
    expect(log.mock.calls.join()).not.toContain("AAAA")
  })
})
