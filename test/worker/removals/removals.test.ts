import { env } from "cloudflare:workers"
import { getTableName, sql } from "drizzle-orm"
import { describe, expect, it, vi } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { newId } from "../../../src/lib/id.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { eraseAddress, sweepErasures } from "../../../src/worker/erasure/erase.ts"
import { keepRemovals, sweepRemovals } from "../../../src/worker/removals/keep.ts"
import { PLACES } from "../../../src/worker/removals/places.ts"
import { askRepeat } from "../../../src/worker/removals/repeat.sql.ts"
import { repeatRemovals } from "../../../src/worker/removals/repeat.ts"
import { compareAddresses } from "../../../src/worker/removals/repeat-erasures.ts"
import {
  type AddressPosition,
  type RemovalRepeat,
  removalRepeats,
} from "../../../src/worker/removals/table.ts"
import { erasedForm } from "../../../src/worker/suppressions/erased.ts"
import { sweepDeletedTeams } from "../../../src/worker/teams/deletion/sweep.ts"
import { TABLES } from "../../../src/worker/teams/tables.ts"
import { request } from "../../support/api.ts"
import { eventually } from "../../support/eventually.ts"
import { directory } from "../../support/installation.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { acceptForLater } from "../../support/mail.ts"
import { makePerson, sessionOf } from "../../support/session.ts"
import { readStream } from "../../support/stream.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const ADA = "ada@example.com"
const { settings } = testWork().work
const HASHED = erasedForm(settings, ADA)

const kept = async (teamId: string) => {
  const { objects } = await env.CONTENT.list({ prefix: `removals/${teamId}/` })
  return objects.map(({ key }) => key.split("/").slice(2, 4).join(" "))
}

const waiting = async (teamId: string) =>
  (await env.DB.prepare("select * from removals where team_id = ?").bind(teamId).all()).results

const rows = async (sql: string, ...values: unknown[]) =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .all()
  ).results

const erase = async ({ api }: Team, address = ADA) => {
  const { work } = testWork()
  await eraseAddress(createKeyCtx(work, sha256Hex(api.key), "full"), address)
  await sweepErasures(work)
}

async function ask(restoredTo: number) {
  for (const statement of askRepeat(Date.now(), restoredTo).split(";")) {
    await env.DB.prepare(statement).run()
  }
}

/** As many minutes as it takes. */
const memberships = async (userId: string) =>
  (await directory.prepare("select * from members where user_id = ?").bind(userId).all()).results

async function repeatAll() {
  const logged = vi.spyOn(console, "warn").mockImplementation(() => {})
  for (let minute = 0; minute < 20; minute++) {
    await repeatRemovals(testWork().work)
    const [repeat] = await rows("select * from removal_repeats")
    if (!repeat?.finished_at) continue
    expect(logged).toHaveBeenCalledOnce()
    logged.mockRestore()
    return repeat
  }
  throw new Error("The repeat does not end")
}

async function addContact(team: Team, email: string) {
  const { body } = await team.api.post("/contact-books", { name: "Book" })
  await env.DB.prepare(
    "insert into contacts (team_id, book_id, id, email, created_at, updated_at) values (?, ?, ?, ?, 1, 1)",
  )
    .bind(team.id, body.id, newId("contact"), email)
    .run()
  return body.id as string
}

describe("the bucket keeps", () => {
  it("revoked keys, removed members and hashes of erased addresses, never an address", async () => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    const { body: key } = await team.api.post("/api-keys", { name: "Old" })
    await team.api.delete(`/api-keys/${key.id}`)
    const { id: person } = await makePerson(team.id, "member")
    await request("DELETE", `/dashboard/api/members/${person}`, undefined, { cookie })
    await request("POST", "/dashboard/api/erasures", { email: ADA }, { cookie })
    await eventually(async () =>
      expect((await kept(team.id)).sort()).toEqual(
        [`address ${HASHED}`, `key ${key.id}`, `member ${person}`].sort(),
      ),
    )
    await eventually(async () => expect(await waiting(team.id)).toEqual([]))
    await team.api.delete(`/api-keys/${newId("apiKey")}`)
    expect(await kept(team.id)).toHaveLength(3)
  })

  it("what a bucket that did not answer has missed, with the next minute", async () => {
    const team = await makeTeam()
    const CONTENT = { put: () => Promise.reject(new Error("away")) } as unknown as R2Bucket
    const { work } = testWork({ settings: { CONTENT } })
    const { query } = keepRemovals(
      work,
      { teamId: team.id, kind: "key", subject: "key_1", removedAt: 1 },
      sql`where true`,
    )
    await query
    await expect(sweepRemovals(work)).rejects.toThrow("away")
    expect(await waiting(team.id)).toHaveLength(1)
    await sweepRemovals(testWork().work)
    expect(await kept(team.id)).toEqual(["key key_1"])
    expect(await waiting(team.id)).toEqual([])
  })

  it("a removal that another process is writing, from the next minute on", async () => {
    const team = await makeTeam()
    const put = (key: string) =>
      key.includes("/key_1/")
        ? Promise.reject(new Error("put: Reduce your concurrent request rate (10058)"))
        : env.CONTENT.put(key, "")
    const { work } = testWork({ settings: { CONTENT: { put } as unknown as R2Bucket } })
    for (const subject of ["key_1", "key_2"]) {
      const values = { teamId: team.id, kind: "key", subject, removedAt: 1 } as const
      await keepRemovals(work, values, sql`where true`).query
    }
    await sweepRemovals(work)
    expect(await kept(team.id)).toEqual(["key key_2"])
    expect(await waiting(team.id)).toHaveLength(1)
    await sweepRemovals(testWork().work)
    expect((await kept(team.id)).sort()).toEqual(["key key_1", "key key_2"])
    expect(await waiting(team.id)).toEqual([])
  })

  it("of a deleted team only its deletion", async () => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    await erase(team)
    const { body } = await request("GET", "/dashboard/api/team", undefined, { cookie })
    await request("POST", "/dashboard/api/team/delete", { name: body.name }, { cookie })
    await eventually(async () => expect(await kept(team.id)).toHaveLength(2))
    const { work } = testWork({ clock: makeClock(Date.now() + 7_200_000) })
    await eventually(async () => {
      await sweepDeletedTeams(work)
      expect(await kept(team.id)).toEqual([`team ${team.id}`])
    })
  })
})

/** Stores an address in one of the places where an erasure finds it. */
function inPlaces(team: Team): Record<string, (address: string) => Promise<unknown>> {
  const run = (db: D1Database, sql: string, ...values: string[]) =>
    db
      .prepare(sql)
      .bind(...values)
      .run()
  const insert = (sql: string) => (address: string) => run(env.DB, sql, team.id, address)
  const insertEntry = (column: string, value: string) =>
    insert(`insert into audit_log (team_id, id, at, actor_type, action, ${column})
      values (?1, 'al ${column}', 1, 'user', 'segments.update', ${value})`)
  const insertSegment = (id: string, name: string, filter: string) =>
    insert(`insert into segments (team_id, id, book_id, name, filter, created_at, updated_at)
      values (?1, '${id}', 'b', ${name}, ${filter}, 1, 1)`)
  const insertView = (id: string, name: string, query: string) =>
    insert(`insert into saved_views values (?1, '${id}', ${name}, 'n', ${query}, 'u', 1, 1)`)
  const filter = `json_object('all', json_array(json_object('field', 'email', 'op', 'is', 'value', ?2)))`
  const receivedWith = (column: string, value: string) => {
    const columns = { sender: "'{}'", envelope_from: "''", envelope_to: "''", details: "'{}'" }
    const values = { ...columns, [column]: value }
    return insert(`insert into received_emails
      (team_id, id, inbox_id, kind, size, parsed, created_at, ${Object.keys(values)})
      values (?1, 'rcv_${column}', 'inb_1', 'message', 1, 1, 1, ${Object.values(values)})`)
  }
  return {
    "received_emails.sender": receivedWith("sender", "json_object('email', ?2)"),
    "received_emails.envelope_from": receivedWith("envelope_from", "?2"),
    "received_emails.envelope_to": receivedWith("envelope_to", "?2"),
    "received_emails.details": receivedWith(
      "details",
      "json_object('to', json_array(json_object('email', ?2, 'name', null)))",
    ),
    "threads.participants": insert(`insert into threads (team_id, id, inbox_id, subject,
      participants, messages, message_count, state, position, last_message_at, created_at)
      values (?1, 'thr_1', 'inb_1', '', json_array(json_object('email', ?2)), '[]', 0, 'open', '', 1, 1)`),
    "emails.reply_to": (replyTo) => acceptForLater(team, { to: "bob@example.com", replyTo }),
    "email_recipients.address": (to) => acceptForLater(team, { to }),
    "contacts.email": (address) => addContact(team, address),
    "suppressions.email": insert(`insert into suppressions (team_id, email, id, reason, created_at)
      values (?1, ?2, 'sup again', 'manual', 1)`),
    "events.data": insert(`insert into events (team_id, sequence, id, type, data, created_at)
      values (?1, 999, 'evt again', 'contact.created', json_object('contact', json_object('email', ?2)), 1)`),
    "audit_log.label": insertEntry("label", "'Mail of ' || ?2 || ' and others'"),
    "audit_log.changes": insertEntry(
      "changes",
      "json_object('name', json_array(null, char(10) || ?2 || char(10)))",
    ),
    "segments.name": insertSegment("s1", "'Like ' || ?2", "'{}'"),
    "segments.filter": insertSegment("s2", "'Some'", filter),
    "sequences.goal": insert(`insert into sequences
      (team_id, id, book_id, name, status, domain_id, sender, started_by, steps, entry, goal,
        ends_on_reply, created_at, updated_at)
      values (?1, 'seq_1', 'b', 'Trial', 'draft', 'd', '{}', '{}', '[]', 'once', ${filter}, 0, 1, 1)`),
    "campaign_runs.segment_filter": insert(
      `insert into campaign_runs (team_id, campaign_id, segment_filter) values (?1, 'c', ${filter})`,
    ),
    "saved_views.name": insertView("v1", "?2", "'{}'"),
    "saved_views.query": insertView(
      "v2",
      "'Hers'",
      "json_object('to', replace(upper(?2), '@', '%2540'))",
    ),
    "refused_calls.message": insert(
      `insert into refused_calls values (?1, 'ref again', 'k', 'POST /', 'conflict', ?2 || ' is taken.', 1, 1)`,
    ),
    "dead_letters.body": (address) =>
      run(
        directory,
        `insert into dead_letters values ('let again', 'outcomes', json_object('report', json_object(
          'payload', json_object('sender', 'hello@' || ?1, 'recipient', ?2))), 1, null, null)`,
        team.domain,
        address,
      ),
  }
}

describe("after a restore", () => {
  it("keys stay revoked, members and teams are gone, and the person is erased again", async () => {
    const restoredTo = Date.now()
    const [team, gone] = [await makeTeam(), await makeTeam()]
    const cookie = await sessionOf(team.id, "owner")
    const { body: key } = await team.api.post("/api-keys", { name: "Old" })
    const { id: person } = await makePerson(team.id, "member")
    const tables = { teams: "id", members: "team_id", api_keys: "team_id" }
    for (const [table, column] of Object.entries(tables)) {
      await env.DB.prepare(
        `create table before_${table} as select * from ${table} where ${column} in ('${team.id}', '${gone.id}')`,
      ).run()
    }
    await team.api.delete(`/api-keys/${key.id}`)
    await request("DELETE", `/dashboard/api/members/${person}`, undefined, { cookie })
    await erase(team)
    const owner = await sessionOf(gone.id, "owner")
    const { body } = await request("GET", "/dashboard/api/team", undefined, { cookie: owner })
    await request("POST", "/dashboard/api/team/delete", { name: body.name }, { cookie: owner })
    await eventually(async () => {
      await sweepRemovals(testWork().work)
      expect(await kept(team.id)).toHaveLength(3)
      expect(await kept(gone.id)).toHaveLength(1)
    })

    for (const table of Object.keys(tables)) {
      await env.DB.prepare(`insert or replace into ${table} select * from before_${table}`).run()
      await env.DB.prepare(`drop table before_${table}`).run()
    }
    await env.DB.prepare("delete from suppressions where team_id = ?").bind(team.id).run()
    await addContact(team, ADA)
    expect((await gone.api.get("/me")).status).toBe(200)
    const stream = await readStream(key.secret)
    await stream.next()

    await ask(restoredTo)
    const repeat = await repeatAll()
    await expect(stream.next()).rejects.toThrow("The stream has ended")
    expect(repeat.addresses).toBeGreaterThanOrEqual(1)
    expect((await gone.api.get("/me")).status).toBe(401)
    expect(await rows("select id from teams where id = ?", gone.id)).toEqual([])
    expect(await memberships(person)).toEqual([])
    expect(
      await rows("select revoked_at is null as live from api_keys where id = ?", key.id),
    ).toEqual([{ live: 0 }])
    await sweepErasures(testWork().work)
    expect(await rows("select * from contacts where team_id = ?", team.id)).toEqual([])
    expect(await rows("select email from suppressions where team_id = ?", team.id)).toEqual([
      { email: HASHED },
    ])
  })

  it("an address is erased again wherever an erasure finds it", async () => {
    const team = await makeTeam()
    const restoredTo = Date.now()
    const places = Object.entries(inPlaces(team))
    const addressOf = (place: string) => `${place}@again.example`
    for (const [place] of places) await erase(team, addressOf(place))
    await eventually(async () => {
      await sweepRemovals(testWork().work)
      expect(await kept(team.id)).toHaveLength(places.length)
    })
    await env.DB.prepare("delete from suppressions where team_id = ?").bind(team.id).run()
    for (const [place, store] of places) await store(addressOf(place))
    await ask(restoredTo)
    await repeatAll()
    const asked = async () =>
      (await rows("select email from erasures where team_id = ? order by 1", team.id)).map(
        ({ email }) => email,
      )
    expect(await asked()).toEqual(places.map(([place]) => addressOf(place)).sort())
    await eventually(async () => {
      await sweepErasures(testWork().work)
      expect(await asked()).toEqual([])
    })
    for (const { table } of TABLES) {
      const db = "teamId" in table ? env.DB : directory
      const { results } = await db.prepare(`select * from "${getTableName(table)}"`).all()
      expect(JSON.stringify(results)).not.toContain("@again.example")
    }
  })

  it("every place of an address has its example above", async () => {
    const team = await makeTeam()
    expect(Object.keys(inPlaces(team)).sort()).toEqual(PLACES.map(({ name }) => name).sort())
  })

  it("one text may have more addresses than a call takes arguments", async () => {
    const team = await makeTeam()
    const label = Array.from({ length: 130_000 }, (_, n) => `${n}@b.co`).join(" ")
    await env.DB.prepare(
      "insert into audit_log (team_id, id, at, actor_type, action, label) values (?, 'al', 1, 'user', 'invitations.create', ?)",
    )
      .bind(team.id, label)
      .run()
    const place = PLACES.find(({ name }) => name === "audit_log.label")
    const page = await place?.readPage(testWork().work, team.id, [])
    expect(page?.addresses).toContain("129999@b.co")
  })

  it("addresses are compared in pages, wherever they stand, and a repeat starts where it ended", async () => {
    const team = await makeTeam()
    const restoredTo = Date.now()
    const places = ["mail", "book", "list", "event", "label"].map(
      (name) => `zz-${name}@example.com`,
    )
    const [mail = "", book = "", list = "", event = "", label = ""] = places
    for (const address of places) await erase(team, address)
    await eventually(async () => {
      await sweepRemovals(testWork().work)
      expect(await kept(team.id)).toHaveLength(5)
    })
    const many = "with recursive n (n) as (select 1 union all select n + 1 from n where n < 4500)"
    const bookId = await addContact(team, book)
    await env.DB.prepare(
      `insert into contacts (team_id, book_id, id, email, created_at, updated_at)
       ${many} select ?1, ?2, 'c' || n, 'c' || n || '@example.com', 1, 1 from n`,
    )
      .bind(team.id, bookId)
      .run()
    await env.DB.prepare(
      `insert into email_recipients (team_id, address, email_id)
       ${many} select ?1, 'r' || n || '@example.com', 'em' from n union all select ?1, ?2, 'em'`,
    )
      .bind(team.id, mail)
      .run()
    await env.DB.prepare(
      "insert into suppressions (team_id, email, id, reason, created_at) values (?, ?, 'sup', 'manual', 1)",
    )
      .bind(team.id, list)
      .run()
    await env.DB.prepare(
      "insert into events (team_id, sequence, id, type, data, created_at) values (?1, 99, 'evt', 'contact.created', json_object('contact', json_object('email', ?2)), 1)",
    )
      .bind(team.id, event)
      .run()
    await env.DB.prepare(
      "insert into audit_log (team_id, id, at, actor_type, action, label) values (?, 'al', 1, 'user', 'invitations.create', ? || ' (member)')",
    )
      .bind(team.id, label)
      .run()
    // A text of dots has many addresses, so a page ends before its last row.
    const dots = `${"a.".repeat(31)}a@${"b.".repeat(90)}de`
    await env.DB.prepare(
      `insert into audit_log (team_id, id, at, actor_type, action, label)
       ${many} select ?1, 'ak' || n, 1, 'user', 'invitations.create', ?2 from n where n <= 30`,
    )
      .bind(team.id, dots)
      .run()
    await ask(restoredTo)
    const { work } = testWork()
    let batches = 0
    const db = new Proxy(work.db, {
      get(target, name) {
        if (name === "batch" && batches++ === 3) throw new Error("killed")
        const value = Reflect.get(target, name)
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    await expect(repeatRemovals({ ...work, db })).rejects.toThrow("killed")
    await repeatAll()
    const asked = await rows("select email from erasures where team_id = ? order by 1", team.id)
    expect(asked.map(({ email }) => email)).toEqual(places.toSorted())
    expect(await rows("select * from repeated_erasures")).toEqual([])
  })

  it.each([
    ["the first", "emails.reply_to"],
    ["the same", "audit_log.label"],
  ])(
    "a late process skips no address of the next team, which is at %s place by then",
    async (_, place) => {
      const [first, next] = [await makeTeam(), await makeTeam()].toSorted((a, b) =>
        a.id < b.id ? -1 : 1,
      ) as [Team, Team]
      await env.DB.prepare(
        "insert into audit_log (team_id, id, at, actor_type, action, label) values (?, 'al', 1, 'user', 'invitations.create', ?)",
      )
        .bind(next.id, ADA)
        .run()
      await ask(0)
      await env.DB.batch([
        ...[first, next].map(({ id }) =>
          env.DB.prepare("insert into repeated_erasures values (?, ?, 1)").bind(id, HASHED),
        ),
        env.DB.prepare("update removal_repeats set position = ?").bind(
          JSON.stringify({ team: first.id, place: "audit_log.label", after: [] }),
        ),
      ])
      const position = async () =>
        (await testWork().work.db.select().from(removalRepeats))[0]?.position as AddressPosition
      const step = async ({ work } = testWork()) => {
        const [asked] = await work.db.select().from(removalRepeats)
        await compareAddresses(work, asked as RemovalRepeat, asked?.position as AddressPosition)
      }
      const others = async () => {
        do await step()
        while ((await position()).team === first.id || (await position()).place !== place)
      }
      const DB = interruptedDb(/update "removal_repeats"/, others)
      await step(testWork({ settings: { DB } }))
      await repeatAll()
      expect(await rows("select email from erasures where team_id = ?", next.id)).toEqual([
        { email: ADA },
      ])
    },
    60_000,
  )

  it("somebody who came back before the restored time stays", async () => {
    const team = await makeTeam()
    const { id: person } = await makePerson(team.id, "member")
    const cookie = await sessionOf(team.id, "owner")
    await request("DELETE", `/dashboard/api/members/${person}`, undefined, { cookie })
    await erase(team)
    await eventually(async () => {
      await sweepRemovals(testWork().work)
      expect(await kept(team.id)).toHaveLength(2)
    })
    await addContact(team, ADA)
    await directory
      .prepare(
        "insert into members (user_id, team_id, role, created_at) values (?, ?, 'member', ?)",
      )
      .bind(person, team.id, Date.now() + 1)
      .run()
    await ask(0)
    await env.DB.prepare("update removal_repeats set restored_to = ?")
      .bind(Date.now() + 60_000)
      .run()
    await repeatAll()
    expect(await rows("select * from erasures where team_id = ?", team.id)).toEqual([])
    await ask(0)
    await repeatAll()
    expect(await memberships(person)).toHaveLength(1)
    expect(await rows("select email from erasures where team_id = ?", team.id)).toEqual([
      { email: ADA },
    ])
  })
})
