/** A webhook from one commit to the next. */
export interface WebhookState {
  seq: number
  url: string
  events: string[]
  enabled: boolean
  /** As it is stored. */
  secret: string
}

/** A deleted webhook, from a commit on. */
interface Deletion {
  seq: number
  url: null
}

export type SubscriptionState = WebhookState | Deletion

export interface StoredEvent {
  seq: number
  id: string
  type: string
}

const state = `json_object('url', new.url, 'events', json(new.events), 'enabled', new.enabled, 'secret', new.secret)`
const isMoved = (row: "new" | "old") =>
  `exists (select 1 from team_fences where team_id = ${row}.team_id)`

/** Triggers write down events and what becomes of webhooks, in the order of their commits. */
export const SUBSCRIPTIONS_SCHEMA = [
  `create trigger if not exists journal_events after insert on events
    when new.webhook_id is null and not ${isMoved("new")} begin
    insert into journal (type, team_id, id, detail) values ('event', new.team_id, new.id, new.type); end`,
  ...["insert", "update of url, events, enabled, secret"].map(
    (change, index) => `create trigger if not exists journal_subscriptions_${index}
      after ${change} on webhooks when not ${isMoved("new")} begin
      insert into journal (type, team_id, id, detail)
        values ('subscription', new.team_id, new.id, ${state}); end`,
  ),
  `create trigger if not exists journal_unsubscriptions after delete on webhooks
    when not ${isMoved("old")} begin
    insert into journal (type, team_id, id) values ('subscription', old.team_id, old.id); end`,
]

type Row = Record<string, string | number | null>

export const isOfSubscriptions = ({ type }: Row) => type === "event" || type === "subscription"

export type Subscriptions = ReturnType<typeof createSubscriptions>

/** What teams were told of, and what they wanted to be told of, as it was committed. */
export function createSubscriptions() {
  const states = new Map<string, SubscriptionState[]>()
  const eventsOf = new Map<string, StoredEvent[]>()
  function add<T>(map: Map<string, T[]>, key: string, one: T): void {
    if (!map.get(key)?.push(one)) map.set(key, [one])
  }

  return {
    note(row: Row): void {
      const [seq, id, teamId] = [Number(row.seq), String(row.id), String(row.team_id)]
      if (row.type === "event") add(eventsOf, teamId, { seq, id, type: String(row.detail) })
      else if (row.detail === null) add(states, id, { seq, url: null })
      else
        add(states, id, { ...(JSON.parse(String(row.detail)) as Omit<WebhookState, "seq">), seq })
    },
    /** By the id of the webhook. */
    states: states as ReadonlyMap<string, readonly SubscriptionState[]>,
    eventsOf: (teamId: string): readonly StoredEvent[] => eventsOf.get(teamId) ?? [],
  }
}
