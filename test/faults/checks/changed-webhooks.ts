import { env } from "cloudflare:workers"
import { createHmac } from "node:crypto"
import { unseal } from "../../../src/lib/seal.ts"
import { readSettings } from "../../../src/worker/platform/env.ts"
import { homeOf } from "../homes.ts"
import type { Heard } from "../receivers.ts"
import type { Member } from "../scenario.ts"
import type { SubscriptionState as State, StoredEvent, WebhookState } from "../subscriptions.ts"
import type { World } from "../world.ts"
import { type Row, rows } from "./rows.ts"

const settings = readSettings(env)

interface Webhook {
  id: string
  states: readonly State[]
  heard: readonly Heard[]
}

/**
 * By the order of the commits: an event goes to those webhooks alone that were enabled and subscribed to it,
 * signed with a secret that was valid, and not once the webhook was disabled or deleted.
 */
export async function checkChangedWebhooks(
  world: World,
  { team, changed }: Member,
): Promise<string[]> {
  const { subscriptions } = world.journal
  const events = subscriptions.eventsOf(team.id)
  const webhooks = [...subscriptions.states].flatMap(([id, states]) => {
    const urls = new Set(states.map(({ url }) => url))
    const heard = world.receivers.heard.filter(({ url }) => urls.has(url) && changed.urls.has(url))
    return states.some(({ url }) => url !== null && changed.urls.has(url))
      ? [{ id, states, heard }]
      : []
  })
  const wrongs = await Promise.all(
    webhooks.map(async (webhook) => {
      const deliveries = await rows("select * from deliveries where webhook_id = ?", webhook.id)
      return [
        ...checkRows(world, webhook, events, deliveries),
        ...checkHeard(world, webhook, events, { team, changed }),
      ].map((wrong) => `${webhook.id}: ${wrong}`)
    }),
  )
  const stored = new Set(
    webhooks.flatMap(({ id, states }) => states.map((one) => secretOf(id, one))),
  )
  return [
    ...wrongs.flat(),
    ...[...changed.secrets.keys()]
      .filter((secret) => !stored.has(secret))
      .map((secret) => `${secret} was told, and no webhook had it`),
  ]
}

const isOn = (state: State | undefined): state is WebhookState =>
  state !== undefined && state.url !== null && Boolean(state.enabled)

const wants = (state: State | undefined, { type }: StoredEvent): boolean =>
  isOn(state) && state.events.includes(type)

const stateAt = (states: readonly State[], seq: number) => states.findLast((one) => one.seq <= seq)

/** Each state that the webhook had from one commit to another. */
const statesBetween = (states: readonly State[], from: number, until: number) =>
  states.filter(
    ({ seq }, index) => seq <= until && (states[index + 1]?.seq ?? Number.POSITIVE_INFINITY) > from,
  )

function checkRows(
  { excuses }: World,
  { id, states, heard }: Webhook,
  events: readonly StoredEvent[],
  deliveries: readonly Row[],
): string[] {
  const isDeleted = states.at(-1)?.url === null
  if (isDeleted) return deliveries.length > 0 ? [`${id} is deleted, with deliveries`] : []
  const rowsOf = Map.groupBy(deliveries, ({ event_id }) => event_id as string)
  return events.flatMap((event) => {
    const [row, ...others] = rowsOf.get(event.id) ?? []
    const later = states.filter(({ seq }) => seq > event.seq)
    const wasDropped = later.some((one) => !isOn(one))
    const said = `${event.id}, ${event.type}, is ${row?.state}, attempts ${row?.attempts}`
    if (others.length > 0) return [`${event.id} has several deliveries`]
    if (wants(stateAt(states, event.seq), event)) {
      // What waits for room is delivered as the webhook subscribes by then.
      const waitedInVain = later.some((one) => isOn(one) && !wants(one, event))
      if (!row && waitedInVain) excuses.count("an event waited while the subscription changed")
      if (!row) return wasDropped || waitedInVain ? [] : [`${event.id} has no delivery`]
      const wasHeard = heard.some(({ eventId, status }) => eventId === event.id && status === 200)
      const isSane = row.state === "succeeded" ? wasHeard : row.state === "failed" && wasDropped
      return isSane ? [] : [said]
    }
    if (!row) return []
    if (!row.repeats || !later.some((one) => wants(one, event))) return [`not wanted: ${said}`]
    excuses.count("an event waited while the subscription changed")
    return []
  })
}

function checkHeard(
  { excuses }: World,
  { id, states, heard }: Webhook,
  events: readonly StoredEvent[],
  { team, changed }: Pick<Member, "team" | "changed">,
): string[] {
  const db = homeOf(team.id) as D1Database
  return heard.flatMap((one) => {
    const event = events.find(({ id }) => id === one.eventId)
    const from = one.invocation.positions.get(db) ?? 0
    const meanwhile = statesBetween(states, from, one.positions.get(db) ?? 0)
    const said = `${one.eventId}, heard from ${one.invocation.label}`
    if (!event) return [`${said}, never happened`]
    const waited = states.filter(({ seq }) => seq > event.seq).some((state) => wants(state, event))
    const wasWanted = wants(stateAt(states, event.seq), event)
    const wasDropped = states.some(
      (state) => !isOn(state) && state.seq > event.seq && state.seq <= from,
    )
    if (!wasWanted && waited) excuses.count("an event waited while the subscription changed")
    return [
      ...(wasWanted || waited ? [] : [`${said}, was not subscribed to`]),
      ...(wasDropped ? [`${said}, was dropped`] : []),
      ...(meanwhile.some((state) => isOn(state) && state.url === one.url)
        ? []
        : [`${said}, went to a webhook that was not there`]),
      ...checkSignature(one, { id, states }, meanwhile, changed.secrets).map(
        (wrong) => `${said}, ${wrong}`,
      ),
    ]
  })
}

const secretOf = (id: string, state: State): string | null =>
  state.url === null ? null : unseal(settings, id, state.secret)

/** Only what was told can be verified. */
function checkSignature(
  { signature, body }: Heard,
  { id, states }: Pick<Webhook, "id" | "states">,
  meanwhile: readonly State[],
  told: Member["changed"]["secrets"],
): string[] {
  const [time = "", ...digests] = signature.split(",").map((part) => part.split("=")[1] ?? "")
  const signs = (secret: string | null, digest: string | undefined) =>
    secret !== null &&
    createHmac("sha256", secret).update(`${time}.${body}`).digest("hex") === digest
  const secrets = states.map((state) => secretOf(id, state))
  const versions = secrets.filter((one, index) => one !== null && one !== secrets[index - 1])
  const valid = meanwhile.map((state) => secretOf(id, state))
  const current = valid.find((secret) => signs(secret, digests[0]))
  if (!current) return [`is signed with a secret that was not valid: ${digests.length}`]
  const before = versions[versions.indexOf(current) - 1] ?? null
  const { isOverlap } = told.get(current) ?? {}
  if (isOverlap === undefined) return []
  const isRight = isOverlap
    ? digests.length === 2 && signs(before, digests[1])
    : digests.length === 1
  return isRight ? [] : [`has ${digests.length} signatures, overlap: ${isOverlap}`]
}
