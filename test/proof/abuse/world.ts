import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { createApp } from "../../../src/worker/app.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { BASE_URL, type Reply } from "../../support/api.ts"
import { fakeQueue } from "../../support/queue.ts"
import { makePerson, PASSWORD, type Person } from "../../support/session.ts"
import { addKey, makeTeam, type Team } from "../../support/team.ts"
import { dashboardExamples } from "../../worker/access/people/examples.ts"
import { type Example, examples } from "../../worker/platform/http/examples.ts"
import { MARK, markTeam } from "./marks.ts"
import { type Abuse, bodyText, type Caller } from "./requests.ts"
import { makeObject, nounOf, resendExample } from "./resend-examples.ts"
import { SURFACES, TARGETS, type Target } from "./targets.ts"

/** Text of our own bodies: no error and no log may repeat it. */
export const PRIVATE = "text of a private message"
const PRIVATE_MEMBERS = ["html", "text", "bodyHtml", "bodyText"]

export interface Side {
  team: Team
  owner: Person
}

const openSide = async (): Promise<Side> => {
  const team = await makeTeam()
  return { team, owner: await makePerson(team.id, "owner") }
}

const isOfOneObject = ({ path }: Target) => path.includes(":")

const targets = new Map(TARGETS.map((one) => [`${one.surface} ${one.name}`, one]))

export const targetOf = ({ surface, name }: Abuse) => targets.get(`${surface} ${name}`) as Target

/** These wait until a message was sent by the real queues, which the abuse does not need. */
const WAITING: Record<string, Example> = { "GET /events": { path: "/events?after=0" } }

/** What the calls of a team name: one object for each call, or for each kind in Resend's API. */
function createExamples({ team, owner }: Side) {
  const made = new Map<string, Promise<Example | string>>()
  const once = async <T extends Example | string>(name: string, make: () => Promise<T> | T) => {
    if (!made.has(name)) made.set(name, Promise.resolve(make()))
    return (await made.get(name)) as T
  }
  const nameOf = (target: Target) =>
    target.surface === "resend" ? `resend ${nounOf(target)}` : target.name
  return {
    async of(target: Target): Promise<Example> {
      const name = nameOf(target)
      if (target.surface === "resend") {
        const isOfOne = target.path.includes(":")
        const id = isOfOne ? await once(name, () => makeObject(nounOf(target), team)) : "x"
        return resendExample(target, team, id)
      }
      const make = examples[name] ?? dashboardExamples[name]
      if (!make) throw new Error(`No example of ${name}`)
      return WAITING[name] ?? once(name, () => make(team, owner))
    },
    forget: (target: Target) => made.delete(nameOf(target)),
  }
}

/** Our team, which abuses, and the other team, whose data must not show. */
export async function createWorld() {
  const theirs = await openSide()
  const theirExamples = createExamples(theirs)
  await markTeam(theirs, async () => {
    for (const target of TARGETS.filter(isOfOneObject)) await theirExamples.of(target)
  })
  const markers = [MARK, theirs.team.id, theirs.team.domain, theirs.owner.email]
  const theirKeys = [theirs.team.api.key, theirs.team.sendingOnly.key]
  const theirId = String((await theirs.team.api.get("/templates")).body.data[0].id)

  const app = createApp()
  const bindings = unlimited()
  let ours = await openOurs()

  const renew = async () => {
    ours = await openOurs()
  }

  async function pathOf(target: Target, example: Example, { id }: Abuse): Promise<string> {
    if (id === "ours" || !target.path.includes(":")) return example.path
    if (id !== "theirs") {
      return target.path.replace(/:[A-Za-z]+/g, () => encodeURIComponent(wellFormed(id.text)))
    }
    return (await theirExamples.of(target)).path
  }

  async function call(abuse: Abuse): Promise<Reply & { text: string; isTheirs: boolean }> {
    const target = targetOf(abuse)
    const example = await ours.exampleOf(target).catch(async () => {
      // An earlier call deleted what the example needs, such as the domain.
      await renew()
      return ours.exampleOf(target)
    })
    const path = await pathOf(target, example, abuse)
    const query = abuse.query.map(([name, value]) =>
      [name, value === "theirs" ? theirId : wellFormed(value)].map(encodeURIComponent).join("="),
    )
    const [bare = "", own] = path.split("?")
    const search = [...(own ? [own] : []), ...query].join("&")
    const body = target.body && bodyText(withPrivateText(example.body), abuse, theirId)
    const execution = createExecutionContext()
    const request = new Request(
      `${BASE_URL}${SURFACES[target.surface]}${bare}${search && `?${search}`}`,
      {
        method: target.method,
        redirect: "manual",
        headers: { ...abuse.headers, ...ours.headersOf(abuse.caller, example, theirs.team.id) },
        ...(body !== undefined && { body }),
      },
    )
    const response = await app.fetch(request, bindings, execution)
    const isStream = response.headers.get("content-type") === "text/event-stream"
    if (isStream) await response.body?.cancel()
    const text = isStream ? "" : await response.text()
    await waitOnExecutionContext(execution)
    ours.settle(target, abuse, response.status)
    const isJson = response.headers.get("content-type")?.includes("json") && text !== ""
    const isTheirs = abuse.id === "theirs" && /:(id|slugOrId|contactId)/.test(target.path)
    return {
      ...{ status: response.status, headers: response.headers, text, isTheirs },
      body: isJson ? JSON.parse(text) : text,
    }
  }

  return { call, renew, markers, secrets: () => [PASSWORD, PRIVATE, ...theirKeys, ...ours.keys] }
}

export type World = Awaited<ReturnType<typeof createWorld>>

async function openOurs() {
  const side = await openSide()
  const { team, owner } = side
  const [admin, member] = [await makePerson(team.id, "admin"), await makePerson(team.id, "member")]
  const restricted = await addKey(team.id, "sending_only", team.domainId)
  const revoked = await addKey(team.id)
  await env.DB.prepare(
    "update api_keys set revoked_at = 1 where team_id = ? and id in (select id from api_keys where team_id = ? order by id desc limit 1)",
  )
    .bind(team.id, team.id)
    .run()
  const objects = createExamples(side)
  const key = (secret: string) => ({ authorization: `Bearer ${secret}` })
  const headers: Record<Caller, Record<string, string>> = {
    full: key(team.api.key),
    "sending only": key(team.sendingOnly.key),
    "of one domain": key(restricted),
    revoked: key(revoked),
    owner: { cookie: owner.cookie },
    admin: { cookie: admin.cookie },
    member: { cookie: member.cookie },
    "in their team": { cookie: owner.cookie },
    none: {},
    garbage: { authorization: "Bearer svc_live_%00", cookie: "=; a=%00; a" },
  }
  return {
    keys: [team.api.key, team.sendingOnly.key, restricted, revoked],
    exampleOf: objects.of,
    headersOf: (caller: Caller, example: Example, theirTeam: string) => ({
      ...(caller === "owner" ? example.headers : {}),
      ...(caller === "owner" && example.headers?.cookie ? {} : headers[caller]),
      ...(caller === "in their team" && { "x-team-id": theirTeam }),
    }),
    /** The next call of a target whose object is gone makes another one. */
    settle(target: Target, { id }: Abuse, status: number): void {
      const isSpent = status === 404 || (target.method === "DELETE" && status < 300)
      if (id === "ours" && isSpent) objects.forget(target)
    },
  }
}

function withPrivateText(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withPrivateText)
  if (typeof body !== "object" || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      PRIVATE_MEMBERS.includes(name) && typeof value === "string" ? `${value} ${PRIVATE}` : value,
    ]),
  )
}

/** `encodeURIComponent` refuses half a pair. */
const wellFormed = (text: string) => text.toWellFormed()

/** Nothing runs beside the calls, and no limit ends them. */
function unlimited(): Env {
  const limiter = { limit: async () => ({ success: true }) } as RateLimit
  const { queue } = fakeQueue()
  const queues = { SENDS: queue, SENDS_BACKLOG: queue, SENDS_BULK: queue, OUTCOMES: queue }
  const others = { DELIVERIES: queue, CAMPAIGNS: queue }
  return {
    ...env,
    ...queues,
    ...others,
    API_RATE_LIMIT: limiter,
    TEAM_RATE_LIMIT: limiter,
    FORM_RATE_LIMIT: limiter,
  }
}
