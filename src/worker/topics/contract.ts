import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { atLeastOne, optionalTitle, timestamp, title } from "../platform/http/shapes.ts"

export const MAX_TOPICS = 50
export const TOPIC_DEFAULTS = ["subscribed", "unsubscribed"] as const

const fields = z.object({
  name: title(200),
  description: optionalTitle(500).describe("Stands below the name on the preference page."),
  default: z.enum(TOPIC_DEFAULTS).describe("What holds for a contact that has not chosen."),
})

const inputExample = {
  name: "Product news",
  description: "New features, once a month",
}

export const topic = fields
  .extend({
    id: z.string(),
    description: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({
    id: "Topic",
    example: {
      id: exampleId("topic"),
      ...inputExample,
      default: "subscribed",
      createdAt: EXAMPLE_TIME,
      updatedAt: EXAMPLE_TIME,
    },
  })
export type Topic = z.output<typeof topic>

const tag = "Topics"

export const createTopic = endpoint({
  name: "topics.create",
  call: "POST /topics",
  access: "full",
  tag,
  summary: "Create a topic",
  description:
    "A topic is a kind of mail, such as product news. A campaign may name one; then it goes to the subscribed contacts of its book that have chosen the topic, or have not chosen and the topic's `default` is `subscribed`.",
  example: () => inputExample,
  refuses: { conflict: `The team has ${MAX_TOPICS} topics.` },
  json: fields.extend({
    description: fields.shape.description.default(null),
    default: fields.shape.default.default("subscribed"),
  }),
  status: 201,
  response: topic,
})

export const listTopics = endpoint({
  name: "topics.list",
  call: "GET /topics",
  access: "full",
  tag,
  summary: "List topics, newest first",
  query: pageQuery,
  response: pageOf(topic),
})

export const updateTopic = endpoint({
  name: "topics.update",
  call: "PATCH /topics/:id",
  access: "full",
  tag,
  summary: "Change a topic",
  description: "A new `default` holds at once for all contacts that have not chosen.",
  example: () => ({ name: "News of the product" }),
  json: atLeastOne(fields.partial()),
  response: topic,
})

export const deleteTopic = endpoint({
  name: "topics.remove",
  call: "DELETE /topics/:id",
  access: "full",
  tag,
  summary: "Delete a topic with the choices of its contacts",
  description:
    "A scheduled campaign of the topic becomes a draft, and needs another topic, or none, before it can be sent. A campaign that is being sent goes to nobody else.",
  refuses: { conflict: "A sequence that is active or paused has it." },
})
