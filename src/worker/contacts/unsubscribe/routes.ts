import type { Hono } from "hono"
import { countUnsubscribed } from "../../campaigns/counts.ts"
import { readSettings } from "../../platform/env.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { followTeamOfLink } from "../../teams/moving/follow-team.ts"
import { workOfLink } from "../../teams/moving/team-database.ts"
import { selectSender } from "../../teams/teams.ts"
import { badLink, keepPrivate, languageOf, readForm } from "../public-call.ts"
import { readSubscriber } from "../recipient-link.ts"
import { UNSUBSCRIBE_REASONS } from "../shapes.ts"
import { unsubscribeAddress } from "../unsubscribe.ts"
import { askPage, donePage, EVERY_BOOK } from "./page.ts"

const PATH = "/unsubscribe/:token"

const MAX_FORM_BYTES = 4_096

/**
 * The link in campaign mail. A GET only asks, because scanners follow links. A POST ends the
 * subscription of the campaign's book, and of every book if the form says so.
 */
export function unsubscribeRoutes(app: Hono<HttpEnv>): void {
  app.use(PATH, keepPrivate)

  app.get(PATH, async (c) => {
    const subscriber = readSubscriber(readSettings(c.env), "unsubscribe", c.req.param("token"))
    if (!subscriber) return badLink(c)
    const work = await workOfLink(createWork(c.env, c.executionCtx), subscriber)
    const [sender] = await selectSender(work, subscriber.teamId)
    return c.html(askPage(languageOf(c), subscriber.email, sender))
  })

  app.post(PATH, async (c) => {
    const subscriber = readSubscriber(readSettings(c.env), "unsubscribe", c.req.param("token"))
    if (!subscriber) return badLink(c)
    const work = await workOfLink(createWork(c.env, c.executionCtx), subscriber)
    const { teamId, email, bookId, emailId = "" } = subscriber
    const form = await readForm(c.req.raw, MAX_FORM_BYTES)
    const isBrowser = c.req.header("accept")?.includes("text/html") ?? false
    const by = isBrowser ? UNSUBSCRIBE_REASONS.link : UNSUBSCRIBE_REASONS.oneClick
    await followTeamOfLink(work, teamId, (there) =>
      unsubscribeAddress(there, {
        teamId,
        email,
        bookId: form.has(EVERY_BOOK) ? undefined : bookId,
        link: subscriber,
        reason: by,
        actor: { by, actorId: null },
        alongside: (condition) => countUnsubscribed(there, { teamId, emailId }, condition),
      }),
    )
    if (!isBrowser) return c.text("Unsubscribed.")
    const [sender] = await selectSender(work, subscriber.teamId)
    return c.html(donePage(languageOf(c), email, sender))
  })
}
