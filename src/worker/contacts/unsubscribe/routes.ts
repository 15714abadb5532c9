import type { Context, Hono } from "hono"
import { countUnsubscribed } from "../../campaigns/counts.ts"
import { readSettings } from "../../platform/env.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { followTeamOfLink, workOfLink } from "../../teams/moving/team-database.ts"
import { badLink, keepPrivate, languageOf, readForm } from "../links/public-call.ts"
import { preferencesUrl, readSubscriber, type Subscriber } from "../links/recipient-link.ts"
import { UNSUBSCRIBE_REASONS } from "../shapes.ts"
import { askPage, donePage, EVERY_BOOK, type Shown, UNDO, undonePage } from "./page.ts"
import { readSubscription, undoUnsubscription } from "./state.ts"
import { unsubscribeAddress } from "./unsubscribe.ts"

const PATH = "/unsubscribe/:token"

const MAX_FORM_BYTES = 4_096

/**
 * The link in campaign mail. A GET only asks, because scanners follow links. A POST ends the
 * subscription of the campaign's book, and of every book if the form says so, or undoes that.
 */
export function unsubscribeRoutes(app: Hono<HttpEnv>): void {
  app.use(PATH, keepPrivate)

  app.get(PATH, async (c) => {
    const subscriber = readSubscriber(readSettings(c.env), "unsubscribe", c.req.param("token"))
    if (!subscriber) return badLink(c)
    const work = await workOfLink(createWork(c.env, c.executionCtx), subscriber)
    const state = await readSubscription(work, subscriber)
    const shown = toShown(c, subscriber, state)
    if (state.isDone) return c.html(donePage(shown))
    return c.html(askPage(shown))
  })

  app.post(PATH, async (c) => {
    const subscriber = readSubscriber(readSettings(c.env), "unsubscribe", c.req.param("token"))
    if (!subscriber) return badLink(c)
    const work = await workOfLink(createWork(c.env, c.executionCtx), subscriber)
    const { teamId, email, bookId, emailId = "" } = subscriber
    const form = await readForm(c.req.raw, MAX_FORM_BYTES)
    const isBrowser = c.req.header("accept")?.includes("text/html") ?? false
    const undo = form.get(UNDO)
    if (undo !== null) {
      await followTeamOfLink(work, teamId, (there) => undoUnsubscription(there, subscriber, undo))
      const there = await workOfLink(work, subscriber)
      const state = await readSubscription(there, subscriber)
      const shown = toShown(c, subscriber, state)
      return c.html(state.isDone ? donePage(shown) : undonePage(shown))
    }
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
    const state = await readSubscription(await workOfLink(work, subscriber), subscriber)
    return c.html(donePage(toShown(c, subscriber, state)))
  })
}

const toShown = (
  c: Context<HttpEnv>,
  subscriber: Subscriber,
  { sender, undo }: Awaited<ReturnType<typeof readSubscription>>,
): Shown => ({
  language: languageOf(c),
  email: subscriber.email,
  preferences: preferencesUrl(readSettings(c.env), subscriber),
  sender,
  undo,
})
