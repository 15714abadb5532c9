import type { Settings } from "../../platform/env.ts"
import { type ApiAnswer, callCloudflare, findZone, type Method } from "./api.ts"

/** A literal rule leads one address. The catch-all of a zone leads what no other rule takes. */
export interface RoutingRule {
  id?: string
  name?: string
  enabled?: boolean
  matchers?: { type: string; field?: string; value?: string }[]
  actions?: { type: string; value?: string[] }[]
}

export interface MailServer {
  content: string
  priority?: number
}

/** Why mail cannot be led here. */
export class RoutingFault extends Error {
  override name = "RoutingFault"
  /** Whether a repeat may help. */
  readonly mayPass: boolean

  constructor(message: string, { mayPass = false } = {}) {
    super(message)
    this.mayPass = mayPass
  }
}

const TOKEN =
  "Set CLOUDFLARE_API_TOKEN to a token with Zone Read, DNS Edit, Zone Settings Edit and Email Routing Rules Edit"
/** All calls of a check. Each has a limit of its own. */
const WITHIN_MS = 60_000
const RULES_A_PAGE = 50
const MOST_PAGES = 10

export const isOfCloudflare = ({ content }: MailServer) =>
  /\.mx\.cloudflare\.net\.?$/i.test(content)

export const leadsTo = (worker: string, { enabled, actions }: RoutingRule) =>
  enabled === true &&
  actions?.some(({ type, value }) => type === "worker" && value?.includes(worker)) === true

/** Email Routing for a name in the zone of the installation's account. Null if the account does not have the zone. */
export async function openRouting(
  { settings, now }: { settings: Settings; now(): number },
  name: string,
) {
  if (!settings.CLOUDFLARE_API_TOKEN) throw new RoutingFault(`${TOKEN}.`)
  const until = now() + WITHIN_MS
  const zone = expectAnswer(await findZone(settings, name))
  if (!zone) return null
  const path = `/zones/${zone.id}/email/routing`
  const isApex = zone.name === name
  /** The API refuses the zone's own name in the body. */
  const named = isApex ? {} : { name }

  const ask = async <T>(method: Method, path: string, body?: unknown) => {
    if (now() > until) throw new RoutingFault("Cloudflare is slow.", { mayPass: true })
    return callCloudflare<T>(settings, method, path, body)
  }
  const call = async <T>(...args: Parameters<typeof ask>) => expectAnswer(await ask<T>(...args))

  return {
    isApex,
    readMailServers: () =>
      call<MailServer[]>("GET", `/zones/${zone.id}/dns_records?type=MX&name=${name}`),
    /** Writes the MX records of the name, and locks them. */
    enable: () => call("POST", `${path}/dns`, named),
    disable: () => call("DELETE", `${path}/dns`, named),

    /** Null for a zone that never had one. */
    async readCatchAll(): Promise<RoutingRule | null> {
      const found = await ask<RoutingRule>("GET", `${path}/rules/catch_all`)
      return !found.ok && found.status === 404 ? null : expectAnswer(found)
    },
    writeCatchAll: ({ name = "", enabled, actions }: RoutingRule) =>
      call("PUT", `${path}/rules/catch_all`, {
        name,
        enabled,
        actions,
        matchers: [{ type: "all" }],
      }),

    async listRules(): Promise<RoutingRule[]> {
      const rules: RoutingRule[] = []
      for (let page = 1; page <= MOST_PAGES; page++) {
        const query = `?page=${page}&per_page=${RULES_A_PAGE}`
        const found = await call<RoutingRule[]>("GET", `${path}/rules${query}`)
        rules.push(...found)
        if (found.length < RULES_A_PAGE) break
      }
      return rules
    },
    addRule: (rule: RoutingRule) => call("POST", `${path}/rules`, rule),
    deleteRule: ({ id }: RoutingRule) => call("DELETE", `${path}/rules/${id}`),
  }
}

export type Routing = NonNullable<Awaited<ReturnType<typeof openRouting>>>

function expectAnswer<T>(answer: ApiAnswer<T>): T {
  if (answer.ok) return answer.result
  const { status, reason } = answer
  if (status === 401 || status === 403)
    throw new RoutingFault(`Cloudflare refuses the token: ${reason} ${TOKEN}.`)
  const mayPass = status === 0 || status === 429 || status >= 500
  throw new RoutingFault(`Cloudflare: ${reason}`, { mayPass })
}
