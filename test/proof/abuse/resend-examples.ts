import { request } from "../../support/api.ts"
import { makeCampaign } from "../../support/campaign.ts"
import { acceptForLater } from "../../support/mail.ts"
import type { Team } from "../../support/team.ts"
import type { Example } from "../../worker/platform/http/examples.ts"
import { NEEDED } from "../../worker/resend/bodies.ts"
import type { Target } from "./targets.ts"

const ADDRESS = "ada@example.com"

const post = async ({ api }: Team, path: string, body: object) =>
  (await request("POST", `/resend${path}`, body, { authorization: `Bearer ${api.key}` })).body

const book = (team: Team) => post(team, "/segments", { name: "Readers" })

/** An object of each kind, for the first part of a path. */
const MADE: Record<string, (team: Team) => Promise<string> | string> = {
  emails: (team) => acceptForLater(team),
  domains: ({ domainId }) => domainId,
  "api-keys": async (team) => (await post(team, "/api-keys", { name: "CI" })).id,
  contacts: async (team) => {
    await post(team, "/contacts", { email: ADDRESS })
    return ADDRESS
  },
  segments: async (team) => (await book(team)).id,
  audiences: async (team) => (await book(team)).id,
  broadcasts: (team) => makeCampaign(team),
  suppressions: async (team) => (await post(team, "/suppressions", { email: ADDRESS })).id,
  templates: async (team) =>
    (await post(team, "/templates", { name: "T", subject: "S", html: "x" })).id,
  topics: async (team) =>
    (await post(team, "/topics", { name: "News", default_subscription: "opt_in" })).id,
  webhooks: async (team) =>
    (await post(team, "/webhooks", { endpoint: NEEDED.endpoint, events: NEEDED.events })).id,
}

/** The calls of one kind of object share it. */
export const nounOf = ({ path }: Target) => path.split("/")[1] ?? ""

export const makeObject = (noun: string, team: Team) => MADE[noun]?.(team) ?? "x"

/** A call of Resend's API with an object of the team. */
export function resendExample({ path, members }: Target, team: Team, id: string): Example {
  const needed: Record<string, unknown> = { ...NEEDED, from: `a@${team.domain}` }
  const names = members.map(({ path: [name] }) => String(name))
  const body = Object.fromEntries(
    names.filter((name) => name in needed).map((name) => [name, needed[name]]),
  )
  return {
    path: path.replace(/:[A-Za-z]+/g, () => encodeURIComponent(id)),
    ...(members.length > 0 && { body: path.endsWith("/batch") ? [body] : body }),
  }
}
