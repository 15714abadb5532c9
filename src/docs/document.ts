import { API_PREFIX, endpoints } from "../contract.ts"
import { exampleTimeAhead } from "../http/example.ts"
import { openApi } from "../http/openapi.ts"
import { remember } from "../lib/remember.ts"
import { sentEvents } from "./event-shapes.ts"
import { INTRODUCTIONS } from "./tags.ts"

/** The OpenAPI document. It depends only on the origin and the day. */
export const openApiText = (origin: string): string => textOf(`${exampleTimeAhead()} ${origin}`)

const textOf = remember((key) => {
  const origin = key.slice(key.indexOf(" ") + 1)
  const extras = { tags: INTRODUCTIONS, events: sentEvents() }
  const document = JSON.stringify(openApi(endpoints, origin + API_PREFIX, extras))
  // Descriptions link to sections of the reference page.
  return document.replaceAll("](#", `](${origin}/docs#`)
})
