import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { deleteTopic } from "./delete.ts"
import { createTopic, listTopics, updateTopic } from "./topics.ts"

export function topicRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createTopic, (ctx, { json }) => createTopic(ctx, json))
  route(app, contract.listTopics, (ctx, { query }) => listTopics(ctx, query))
  route(app, contract.updateTopic, (ctx, { params, json }) => updateTopic(ctx, params.id, json))
  route(app, contract.deleteTopic, (ctx, { params }) => deleteTopic(ctx, params.id))
}
