import * as contacts from "./contacts/contract.ts"
import * as domains from "./domains/contract.ts"
import * as emails from "./emails/contract.ts"
import type { Endpoint } from "./http/endpoint.ts"
import * as keys from "./keys/contract.ts"
import * as sandbox from "./providers/sandbox/contract.ts"
import * as suppressions from "./suppressions/contract.ts"
import * as templates from "./templates/contract.ts"
import * as webhooks from "./webhooks/contract.ts"

/** Where the API lives below the base URL. */
export const API_PREFIX = "/api/v1"

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "method" in value && "path" in value

const METHODS: Endpoint["method"][] = ["POST", "GET", "PATCH", "DELETE"]

const inReading = (a: Endpoint, b: Endpoint) =>
  a.path.localeCompare(b.path) || METHODS.indexOf(a.method) - METHODS.indexOf(b.method)

/** Every call of the API, in the order of its reference. */
export const endpoints: readonly Endpoint[] = [
  keys,
  emails,
  domains,
  templates,
  contacts,
  suppressions,
  webhooks,
  sandbox,
].flatMap((feature) => Object.values<unknown>(feature).filter(isEndpoint).sort(inReading))
