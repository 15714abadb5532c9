import { env } from "cloudflare:workers"
import { clickUrl, openUrl } from "../../src/worker/emails/tracking/links.ts"
import { readSettings } from "../../src/worker/platform/env.ts"
import type { Action } from "./actions.ts"
import { at, call } from "./calls.ts"
import { databaseOf } from "./homes.ts"
import type { Member } from "./scenario.ts"
import type { World } from "./world.ts"

const settings = readSettings(env)
const FILES = 3
const ROWS = 60

/** Readers open and click what they have got, several times each. */
export const visits = (world: World, { team, accepted }: Member): Action[] =>
  Array.from({ length: 6 }, (_, index) => async () => {
    const handed = new Set(world.handedOver())
    const emailId = [...accepted.keys()].find(
      (id) => handed.has(id) && world.draw(`visit ${index} ${id}`) < 0.5,
    )
    if (!emailId) return
    const email = { teamId: team.id, emailId, ...databaseOf(team.id) }
    const open = openUrl(settings, email)
    const click = clickUrl(settings, email, "https://example.com/")
    const headers = { "user-agent": `Reader ${index % 2}` }
    for (const url of [open, open, click, click]) await world.visit(url, headers)
  })

/** Files of the same people, imported at the same time. */
export function imports(world: World, { team, importedTo }: Member): Action[] {
  const path = `/contact-books/${importedTo}/contacts/import`
  return Array.from({ length: FILES }, (_, file) => () => {
    const lines = Array.from({ length: ROWS }, (_, index) => {
      const isSubscribed = world.draw(`row ${file} ${index}`) < 0.8
      return `${at("success", `imported-${index + file * 10}`)},${isSubscribed ? "yes" : "no"}`
    })
    return call(world, team, "POST", path, { csv: ["email,subscribed", ...lines].join("\n") })
  })
}

/** How many people the files have. */
export const IMPORTED = ROWS + (FILES - 1) * 10
