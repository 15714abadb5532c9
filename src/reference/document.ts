import { API_PREFIX, endpoints } from "../worker/contract.ts"
import { createOpenApi } from "../worker/platform/http/openapi/openapi.ts"
import { sentEvents } from "./event-shapes.ts"
import { INTRODUCTIONS } from "./tags.ts"

/** The OpenAPI document. It depends only on the origin and the day. */
export function openApiText(origin: string): string {
  const extras = { tags: INTRODUCTIONS, events: sentEvents() }
  const document = JSON.stringify(createOpenApi(endpoints, origin + API_PREFIX, extras))
  // Descriptions link to sections of the reference page.
  return document.replaceAll("](#", `](${origin}/docs#`)
}
