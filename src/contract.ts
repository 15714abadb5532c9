import * as emails from "./emails/contract.ts"
import type { Endpoint } from "./http/endpoint.ts"
import * as keys from "./keys/contract.ts"
import * as sandbox from "./providers/sandbox/contract.ts"
import * as stream from "./stream/contract.ts"
import * as suppressions from "./suppressions/contract.ts"

/** Where the API lives below the base URL. */
export const API_PREFIX = "/api/v1"

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "method" in value && "path" in value

/** Every call of the API, in the order of its reference. */
export const endpoints: readonly Endpoint[] = [keys, emails, suppressions, stream, sandbox]
  .flatMap((feature) => Object.values<unknown>(feature))
  .filter(isEndpoint)
