import * as z from "zod"
import { endpoint } from "../http/endpoint.ts"
import { bareAddress } from "../http/shapes.ts"

/** A call of the dashboard alone. */
export const eraseAddress = endpoint({
  method: "POST",
  path: "/erasures",
  access: "session",
  tag: "Erasure",
  summary: "Erase an address from contacts and mail log",
  description:
    "Contacts with it are removed, recipients in the log are replaced by a hash, contents are deleted. The address stays suppressed, under the same hash. Events kept for webhooks, and links on timelines that hold the address, go with their retention.",
  json: z.object({ email: bareAddress }),
  retryable: true,
  status: 200,
  response: z.object({ contacts: z.int(), emails: z.int() }),
})
