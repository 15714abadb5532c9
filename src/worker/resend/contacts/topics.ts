import type { Hono } from "hono"
import { updateContact } from "../../contacts/contacts.ts"
import * as contacts from "../../contacts/contract.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import * as contract from "../../topics/contract.ts"
import { deleteTopic } from "../../topics/delete.ts"
import { createTopic, getTopic, listTopics, updateTopic } from "../../topics/topics.ts"
import type { Wire } from "../../webhooks/resend-records.ts"
import { listQuery, toList, toPageQuery } from "../lists.ts"
import { members, serve, serveRemoval, shown, toJson } from "../route.ts"
import { find } from "./contacts.ts"
import { subscription, toChoices, topicChoices } from "./topic-choices.ts"

const DEFAULTS = { opt_in: "subscribed", opt_out: "unsubscribed" } as const
const toSubscription = (isIn: boolean) => (isIn ? "opt_in" : "opt_out")

const { createTopic: create, listTopics: list, updateTopic: update, deleteTopic: remove } = contract

export function topicRoutes(app: Hono<HttpEnv>): void {
  const body = members("name", "description").extend({
    default_subscription: subscription.optional(),
  })
  serve(app, "POST /topics", create, { body }, async (ctx, { body }) => {
    const { default_subscription: choice = "opt_in", ...fields } = body
    const { id } = await createTopic(ctx, toJson(create, { ...fields, default: DEFAULTS[choice] }))
    return { object: "topic", id }
  })
  serve(app, "GET /topics", list, { query: listQuery }, async (ctx, { query }) =>
    toList(shown(list, await listTopics(ctx, toPageQuery(query))), toRecord),
  )
  serve(app, "GET /topics/:id", list, {}, async (ctx, { params }) => ({
    object: "topic",
    ...toRecord(shown(update, await getTopic(ctx, params.id!))),
  }))
  const changes = members("name", "description")
  serve(app, "PATCH /topics/:id", update, { body: changes }, async (ctx, { params, body }) => {
    const { id } = await updateTopic(ctx, params.id!, toJson(update, body))
    return { object: "topic", id }
  })
  serveRemoval(app, "/topics/:id", remove, "topic", deleteTopic)
  contactTopicRoutes(app)
}

/** A choice holds in every book of the contact. */
function contactTopicRoutes(app: Hono<HttpEnv>): void {
  const at = "/contacts/:who/topics"
  const { getContact, updateContact: change } = contacts
  serve(app, `GET ${at}`, getContact, { query: listQuery }, async (ctx, { params, query }) => {
    const found = await find(ctx, params)
    const page = await listTopics(ctx, toPageQuery(query))
    return toList(page, ({ id, name, description, default: byDefault }) => ({
      id,
      name,
      description,
      subscription: toSubscription(
        found.some(({ topics }) => topics[id] ?? byDefault === "subscribed"),
      ),
    }))
  })
  serve(app, `PATCH ${at}`, change, { body: topicChoices }, async (ctx, { params, body }) => {
    const found = await find(ctx, params)
    const { topics } = toJson(change, { topics: toChoices(body) })
    for (const { bookId, id } of found) await updateContact(ctx, bookId, id, { topics })
    return { id: found[0].id }
  })
}

const toRecord = (topic: Wire<typeof contract.topic>) => ({
  id: topic.id,
  name: topic.name,
  description: topic.description,
  default_subscription: toSubscription(topic.default === "subscribed"),
  created_at: topic.createdAt,
})
