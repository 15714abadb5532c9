import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import {
  confirmUrl,
  preferencesUrl,
  unsubscribeUrl,
} from "../../src/worker/contacts/links/recipient-link.ts"
import { placeOf } from "../../src/worker/platform/db/databases.ts"
import { readSettings } from "../../src/worker/platform/env.ts"
import { request } from "../support/api.ts"
import { formOf, send } from "../support/preference-form.ts"
import { makeTeam } from "../support/team.ts"

const HISTORIES_A_TEAM = 25
const STEPS = 12
/** The first seed of each team. */
const TEAMS = [1, 26, 51, 76, 101, 126, 151, 176]
const settings = readSettings(env)

/** The same numbers for the same seed. */
function createRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

it.each(TEAMS)(
  "no history from seed %s on leads from a no to a yes but the person's own confirmation",
  async (first) => {
    const team = await makeTeam()
    const { api } = team
    const { body: book } = await api.post("/contact-books", {
      name: "Readers",
      defaultFrom: `news@${team.domain}`,
    })
    const contacts = `/contact-books/${book.id}/contacts`
    let confirmed = 0

    async function live(seed: number) {
      const random = createRandom(seed)
      const email = `person-${seed}@example.com`
      const { body: form } = await api.post("/forms", {
        ...{ bookId: book.id, name: "Form", wording: "Yes.", confirm: random(4) > 0 },
      })
      const read = async () => (await api.get(`${contacts}?q=${email}`)).body.data[0]
      const links: { path: string; step: number }[] = []
      const seen = new Set<string>()
      let refusedAt = -1
      let hasSaidNo = false
      const told: string[] = []

      const findLinks = async (step: number) => {
        const { results } = await env.DB.prepare(
          `select q.id, q.contact_id as contactId from confirmations q join contacts c
           on c.team_id = q.team_id and c.book_id = q.book_id and c.id = q.contact_id
         where q.team_id = ? and c.email = ? and q.expires_at is not null`,
        )
          .bind(team.id, email)
          .all<{ id: string; contactId: string }>()
        for (const { id, contactId } of results) {
          if (seen.has(id)) continue
          seen.add(id)
          const link = { teamId: team.id, bookId: book.id, contactId, id, email, ...placeOf(env) }
          links.push({ path: new URL(confirmUrl(settings, link)).pathname, step })
        }
      }

      const actions: Record<string, () => Promise<unknown>> = {
        post: () => request("POST", `/f/${form.id}`, { email }),
        open: async () => links[0] && request("GET", links[random(links.length)]?.path ?? ""),
        importYes: () => api.post(`${contacts}/import`, { csv: `email,subscribed\n${email},yes` }),
        importNo: () => api.post(`${contacts}/import`, { csv: `email,subscribed\n${email},no` }),
        // For a contact that is there: a key may make an absent one, and subscribe it.
        create: async () => (await read()) && api.post(contacts, { email, subscribed: true }),
        page: async () => {
          const link = { teamId: team.id, email, bookId: book.id, ...placeOf(env) }
          const { pathname } = new URL(preferencesUrl(settings, link))
          const { body, status } = await request("GET", pathname, undefined, {
            accept: "text/html",
          })
          if (status === 200) await send(pathname, formOf(body))
        },
        unsubscribe: () => api.post("/contacts/unsubscribe", { email }),
        oneClick: () => {
          const link = { teamId: team.id, email, bookId: book.id, ...placeOf(env) }
          return request("POST", new URL(unsubscribeUrl(settings, link)).pathname)
        },
        patchNo: async () => {
          const contact = await read()
          if (contact) await api.patch(`${contacts}/${contact.id}`, { subscribed: false })
        },
        patchYes: async () => {
          const contact = await read()
          if (contact?.confirmation !== "pending") return
          const { status } = await api.patch(`${contacts}/${contact.id}`, { subscribed: true })
          expect(status).toBe(409)
        },
        remove: async () => {
          const contact = await read()
          if (contact) await api.delete(`${contacts}/${contact.id}`)
        },
        dayLater: () =>
          env.DB.prepare(
            "update confirmations set asked_at = asked_at - 86400000 where team_id = ?",
          )
            .bind(team.id)
            .run(),
        confirm: async () => links[0] && request("POST", links[random(links.length)]?.path ?? ""),
      }
      const names = Object.keys(actions)

      for (let step = 0; step < STEPS; step++) {
        const name =
          random(3) === 0 ? "post" : random(4) === 0 ? "confirm" : names[random(names.length)]
        const before = await read()
        await actions[name as string]?.()
        const after = await read()
        told.push(`${name}: ${after ? `${after.subscribed} ${after.confirmation}` : "absent"}`)
        if (!before?.subscribed && after?.subscribed) {
          const isFirstWord =
            !before && !hasSaidNo && ["post", "importYes"].includes(name as string)
          const isConfirmed = name === "confirm" && links.some((link) => link.step > refusedAt)
          expect(isFirstWord || isConfirmed, `seed ${seed}: ${told.join(", ")}`).toBe(true)
          if (isConfirmed) confirmed++
          hasSaidNo = false
        }
        if (after?.confirmation === "pending") expect(after.subscribed).toBe(false)
        const isNo = ["importNo", "unsubscribe", "oneClick", "patchNo"].includes(name as string)
        if ((isNo && (before || after)) || name === "remove") refusedAt = step
        if (isNo && (before || after)) hasSaidNo = true
        await findLinks(step)
      }
    }

    for (let seed = first; seed < first + HISTORIES_A_TEAM; seed++) await live(seed)
    expect(confirmed).toBeGreaterThan(3)
  },
  600_000,
)
