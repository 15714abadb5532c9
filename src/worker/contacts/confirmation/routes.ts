import type { Hono } from "hono"
import { cutNetwork } from "../../../lib/network.ts"
import { readSettings } from "../../platform/env.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { followTeamOfLink, workOfLink } from "../../teams/moving/team-database.ts"
import { badLink, keepPrivate, languageOf, setPolicy } from "../links/public-call.ts"
import { readConfirmationLink } from "../links/recipient-link.ts"
import { confirm, readConfirmation } from "./confirm.ts"
import { confirmationPage } from "./page.ts"

const PATH = "/confirm/:token"

/** The link of a confirmation mail. A GET only asks, because scanners follow links. A POST subscribes. */
export function confirmationRoutes(app: Hono<HttpEnv>): void {
  app.use(PATH, keepPrivate)

  app.get(PATH, async (c) => {
    const link = readConfirmationLink(readSettings(c.env), c.req.param("token"))
    if (!link) return badLink(c)
    const work = await workOfLink(createWork(c.env, c.executionCtx), link)
    const state = await readConfirmation(work, link)
    setPolicy(c, { target: state.confirmedUrl, image: state.sender?.brand?.logoUrl })
    const status = state.state === "over" ? 404 : 200
    return c.html(confirmationPage(languageOf(c), link.email, state), status)
  })

  app.post(PATH, async (c) => {
    const link = readConfirmationLink(readSettings(c.env), c.req.param("token"))
    if (!link) return badLink(c)
    const work = await workOfLink(createWork(c.env, c.executionCtx), link)
    const ip = c.req.header("cf-connecting-ip")
    const state = await followTeamOfLink(work, link.teamId, (there) =>
      confirm(there, link, ip ? cutNetwork(ip) : null),
    )
    if (state.state === "done" && state.confirmedUrl) return c.redirect(state.confirmedUrl, 303)
    setPolicy(c, { image: state.sender?.brand?.logoUrl })
    const status = state.state === "over" ? 404 : 200
    return c.html(confirmationPage(languageOf(c), link.email, state), status)
  })
}
