import { env } from "cloudflare:workers"
import { makeCampaign } from "../support/campaign.ts"
import type { Team } from "../support/team.ts"
import type { Action } from "./actions.ts"
import { at, call } from "./calls.ts"
import type { World } from "./world.ts"

export interface SentCampaign {
  id: string
  isCancelled: boolean
  /** Who gets it, once. */
  always: string[]
  /** Who gets it once at most: they match at times, or leave. */
  maybe: string[]
  /** By address, the latest invocation that had begun when somebody had unsubscribed. */
  left: Map<string, number>
}

/** Gives the campaign a topic that these readers do not want: nobody mails them. */
export async function optOut({ api, id }: Team, campaignId: string, addresses: string[]) {
  const { body: topic } = await api.post("/topics", { name: "News" })
  await env.DB.batch([
    env.DB.prepare("update campaigns set topic_id = ? where team_id = ? and id = ?").bind(
      topic.id,
      id,
      campaignId,
    ),
    env.DB.prepare(
      `update contacts set topics = json_object(?, json('false'))
       where team_id = ? and email in (select value from json_each(?))`,
    ).bind(topic.id, id, JSON.stringify(addresses)),
  ])
}

/** So many contacts that the fan-out reads several pages, of whom few are in the segment. */
const OUTSIDE_THE_SEGMENT = 1_100

/** A campaign to those of a book whose plan is "pro". */
export async function prepareSegment(team: Team): Promise<SentCampaign> {
  const label = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => at("success", `${name}-${index}`))
  const [always, moving, leaving] = [label("stays", 8), label("moves", 3), label("leaves", 6)]
  const members = [...always, ...moving, ...leaving]
  const others = label("other", OUTSIDE_THE_SEGMENT)
  const apart = Math.floor(others.length / members.length)
  const addresses = members.flatMap((member, index) => [
    ...others.slice(index * apart, (index + 1) * apart),
    member,
  ])
  const id = await makeCampaign(team, addresses)
  const { bookId } = (await team.api.get(`/campaigns/${id}`)).body
  await setPlan(team, bookId, members)
  const filter = { all: [{ field: "properties.plan", op: "is", value: "pro" }] }
  const { body: segment } = await team.api.post("/segments", { bookId, name: "Pro", filter })
  await team.api.patch(`/campaigns/${id}`, { segmentId: segment.id })
  return { id, isCancelled: false, always, maybe: [...moving, ...leaving], left: new Map() }
}

const setPlan = ({ id }: Team, bookId: string, addresses: string[]) =>
  env.DB.prepare(
    `update contacts set properties = '{"city":"London","plan":"pro"}'
     where team_id = ? and book_id = ? and email in (select value from json_each(?))`,
  )
    .bind(id, bookId, JSON.stringify(addresses))
    .run()

/** Contacts enter and leave the segment, and unsubscribe, before and while its campaign is sent. */
export function moveContacts(
  world: World,
  team: Team,
  { id, maybe, left }: SentCampaign,
): Action[] {
  const change = async (email: string, changes: object) => {
    const { bookId } = (await call(world, team, "GET", `/campaigns/${id}`)).body
    const path = `/contact-books/${bookId}/contacts`
    const found = await call(world, team, "GET", `${path}?q=${encodeURIComponent(email)}`)
    const { status } = await call(world, team, "PATCH", `${path}/${found.body.data[0].id}`, changes)
    if (status !== 200) throw new Error(`A change of ${email} answered ${status}`)
  }
  return maybe.flatMap((email, index) => {
    const move = (plan: string) => () => change(email, { properties: { city: "London", plan } })
    const leave = async () => {
      if (index % 2) await call(world, team, "POST", "/contacts/unsubscribe", { email })
      else await change(email, { subscribed: false })
      left.set(email, world.latest())
    }
    return email.includes("leaves") ? [leave] : [move("free"), move("pro"), move("none")]
  })
}
