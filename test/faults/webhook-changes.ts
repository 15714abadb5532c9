import type { Action } from "./actions.ts"
import { ask, call, callAsMember, repeat } from "./calls.ts"
import type { Member } from "./scenario.ts"
import type { World } from "./world.ts"

const WEBHOOKS = 3
const CHANGES = 7
/** Each change comes within this time of the one before. */
const WITHIN_MS = 40_000

/** What people know of the webhooks that they change while faults happen. */
export interface ChangedWebhooks {
  /** The cookie of a member: a secret is rotated at the dashboard. */
  cookie: string
  /** Each was the URL of one webhook. */
  urls: Set<string>
  /** The secrets that were told, and whether the one before goes on for a day. */
  secrets: Map<string, { isOverlap: boolean }>
}

const EVENTS = [
  "email.sent",
  "email.delivered",
  "email.bounced",
  "email.delayed",
  "email.complained",
  "contact.unsubscribed",
  "campaign.sent",
]

/** The lives of some webhooks. All but one are deleted at the end. */
export function changeWebhooks(world: World, { team, changed }: Member): Action[] {
  return Array.from({ length: WEBHOOKS }, (_, index) => async () => {
    const draw = (what: string) => world.draw(`webhook ${index} ${what}`)
    const someEvents = (what: string) => EVENTS.filter((type) => draw(`${what} ${type}`) < 0.6)
    const newUrl = () => {
      const url = index % 2 ? world.receivers.failing() : world.receivers.good()
      changed.urls.add(url)
      return url
    }

    // A try without an answer may have made one, too. Nobody knows its secret.
    const { body } = await repeat(world, "POST /webhooks", () =>
      ask(world, team, "POST", "/webhooks", { url: newUrl(), events: EVENTS }),
    )
    changed.secrets.set(body.secret, { isOverlap: false })
    const path = `/webhooks/${body.id}`

    async function patch(wish: { events?: string[]; enabled?: boolean; url?: string }) {
      const reply = await call(world, team, "PATCH", path, wish)
      const got = Object.fromEntries(Object.keys(wish).map((name) => [name, reply.body[name]]))
      if (JSON.stringify(got) !== JSON.stringify(wish)) {
        throw new Error(`${JSON.stringify(wish)} of a webhook became ${JSON.stringify(got)}`)
      }
    }
    async function rotate(isOverlap: boolean) {
      const reply = await callAsMember(world, changed.cookie, "POST", `${path}/rotate-secret`, {
        overlap: isOverlap,
      })
      changed.secrets.set(reply.body.secret, { isOverlap })
    }

    const changes: ((what: string) => Promise<void>)[] = [
      (what) => patch({ events: ["email.failed", ...someEvents(what)] }),
      () => patch({ enabled: false }),
      () => patch({ enabled: true }),
      () => patch({ url: newUrl() }),
      () => rotate(true),
      () => rotate(false),
    ]
    for (let step = 0; step < CHANGES; step++) {
      await world.actions.sleep(draw(`wait ${step}`) * WITHIN_MS)
      await changes[Math.floor(draw(`change ${step}`) * changes.length)]?.(`change ${step}`)
    }
    if (index > 0) await call(world, team, "DELETE", path)
    else await patch({ enabled: true })
  })
}
