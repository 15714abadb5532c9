import type { Hono } from "hono"
import { readSettings } from "../../platform/env.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { followTeamOfLink, workOfLink } from "../../teams/moving/team-database.ts"
import { badLink, keepPrivate, languageOf, readForm } from "../links/public-call.ts"
import { readSubscriber } from "../links/recipient-link.ts"
import { readPreferenceForm } from "./form.ts"
import { preferencesPage } from "./page.ts"
import { readPreferences, savePreferences } from "./preferences.ts"

const PATH = "/preferences/:token"

/** A book and a topic need some 130 bytes of the form. */
const MAX_FORM_BYTES = 256 * 1024

/** The page where a person chooses among the books and topics of a team, by a link in campaign mail. */
export function preferenceRoutes(app: Hono<HttpEnv>): void {
  app.use(PATH, keepPrivate)

  app.get(PATH, async (c) => {
    const subscriber = readSubscriber(readSettings(c.env), "preferences", c.req.param("token"))
    if (!subscriber) return badLink(c)
    const work = await workOfLink(createWork(c.env, c.executionCtx), subscriber)
    return c.html(preferencesPage(languageOf(c), await readPreferences(work, subscriber)))
  })

  app.post(PATH, async (c) => {
    const subscriber = readSubscriber(readSettings(c.env), "preferences", c.req.param("token"))
    if (!subscriber) return badLink(c)
    const work = await workOfLink(createWork(c.env, c.executionCtx), subscriber)
    const form = readPreferenceForm(await readForm(c.req.raw, MAX_FORM_BYTES))
    const isWhole = await followTeamOfLink(work, subscriber.teamId, (there) =>
      savePreferences(there, subscriber, form),
    )
    const preferences = await readPreferences(await workOfLink(work, subscriber), subscriber)
    return c.html(preferencesPage(languageOf(c), preferences, isWhole ? "saved" : "changed"))
  })
}
