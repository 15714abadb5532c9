import { spawnSync } from "node:child_process"
import { domainAndParents } from "../../lib/address.ts"
import { environment } from "../wrangler.ts"
import type { ApiAccess, Cloudflare } from "./cloudflare.ts"
import { Failure } from "./failure.ts"
import { FREE_PLAN, NO_TOKEN } from "./remedies.ts"

const API_URL = "https://api.cloudflare.com/client/v4"

const NOT_LOGGED_IN = new Failure(
  "wrangler is not logged in to Cloudflare.",
  "Run 'npx wrangler login', or set CLOUDFLARE_API_TOKEN, and run the same command again.",
)

/** The token of the environment, or that of `wrangler login`. */
export function readAccess(env = process.env): ApiAccess {
  const url = env.CLOUDFLARE_API_BASE_URL ?? API_URL
  // fetch would answer with an error that shows the token.
  if (/[^!-~]/.test(env.CLOUDFLARE_API_TOKEN ?? "")) {
    throw new Failure(
      "CLOUDFLARE_API_TOKEN has a space, a line break or another odd character.",
      NO_TOKEN,
    )
  }
  if (env.CLOUDFLARE_API_TOKEN) return { url, token: env.CLOUDFLARE_API_TOKEN }
  const { status, stdout } = spawnSync("wrangler", ["auth", "token", "--json"], {
    encoding: "utf8",
    env: environment,
    shell: process.platform === "win32",
  })
  const token = status === 0 ? (JSON.parse(stdout) as { token?: string }).token : undefined
  if (!token) throw NOT_LOGGED_IN
  return { url, token }
}

export interface Account {
  id: string
  name: string
}

export async function findAccount(cloudflare: Cloudflare, wanted?: string): Promise<Account> {
  const accounts = await cloudflare.list<Account>("Checking the login", "/accounts")
  const [first, second] = wanted ? accounts.filter(({ id }) => id === wanted) : accounts
  if (!first) {
    throw new Failure(
      wanted
        ? `The login has no access to the account ${wanted}.`
        : "The login has access to no account.",
      "Give CLOUDFLARE_API_TOKEN the permission Account Settings Read, set CLOUDFLARE_ACCOUNT_ID to an account of the login, or run 'npx wrangler login' with another one.",
    )
  }
  if (second) {
    const names = accounts.map(({ id, name }) => `${id} (${name})`).join(", ")
    throw new Failure(
      `The login has several accounts: ${names}.`,
      "Set CLOUDFLARE_ACCOUNT_ID to one of them and run the same command again.",
    )
  }
  return first
}

interface Subscription {
  rate_plan?: { id?: string; public_name?: string }
}

/**
 * The token of `wrangler login` may lack the permission to read the plan. Then the upload fails on
 * Workers Free, since Cloudflare refuses the limit of CPU time.
 */
export async function checkPlan(cloudflare: Cloudflare, account: Account): Promise<string> {
  const subscriptions = await cloudflare
    .call<Subscription[]>("Reading the plan", "GET", `/accounts/${account.id}/subscriptions`)
    .catch(() => null)
  if (!subscriptions) return "not readable with this login; the upload finds out"
  const plans = subscriptions.map(
    ({ rate_plan: { id = "", public_name = "" } = {} }) => `${id} ${public_name}`,
  )
  const ofWorkers = plans.filter((plan) => /workers/i.test(plan))
  // Accounts with a contract have no such subscription.
  if (ofWorkers.length === 0) return "not named in the subscriptions; the upload finds out"
  if (ofWorkers.every((plan) => /free/i.test(plan))) throw FREE_PLAN
  return "Workers Paid"
}

/** The place of the URL's host: a zone of the account, or its subdomain of workers.dev. */
export type Place = { zoneId: string; zoneName: string } | { workersDev: true }

interface Zone {
  id: string
  name: string
  status: string
  name_servers?: string[]
}

export const NO_SUBDOMAIN = new Failure(
  "The account has no name at workers.dev, and no other URL was given.",
  "Give a URL: npm run deploy -- https://mail.example.com. Or choose a name for the account at https://dash.cloudflare.com/?to=/:account/workers/subdomain.",
)

export async function findPlace(
  cloudflare: Cloudflare,
  account: Account,
  { host, own }: { host: string; own: string | null },
): Promise<Place> {
  if (host.endsWith(".workers.dev")) {
    if (host === own) return { workersDev: true }
    throw new Failure(
      `${host} is not the address of this Worker at workers.dev.`,
      own ? `Run the command with https://${own}.` : NO_SUBDOMAIN.remedy,
    )
  }
  for (const candidate of domainAndParents(host)) {
    const [zone] = await cloudflare.call<Zone[]>(
      "Looking for the zone",
      "GET",
      `/zones?name=${candidate}&account.id=${account.id}`,
    )
    if (zone?.status === "active") return { zoneId: zone.id, zoneName: zone.name }
    if (zone) throw pending(zone)
  }
  const instead = own ? `, or deploy to https://${own}` : ""
  throw new Failure(
    `No zone of this account holds ${host}.`,
    `Add its domain at https://dash.cloudflare.com/?to=/:account/add-site and set the nameservers that Cloudflare names at the domain's registrar${instead}. If it is there, give CLOUDFLARE_API_TOKEN the permission Zone Read. Then run the same command again.`,
  )
}

const pending = ({ name, status, name_servers = [] }: Zone) =>
  new Failure(
    `The zone ${name} is ${status}: Cloudflare does not answer for it yet.`,
    `Set its nameservers at the domain's registrar to ${name_servers.join(" and ")}, wait until https://dash.cloudflare.com shows it as active, and run the same command again.`,
  )

export async function findWorkersDev(
  cloudflare: Cloudflare,
  account: Account,
  name: string,
): Promise<string | null> {
  const found = await cloudflare.find<{ subdomain?: string }>(
    "Reading the account's name at workers.dev",
    `/accounts/${account.id}/workers/subdomain`,
  )
  return found?.subdomain ? `${name}.${found.subdomain}.workers.dev` : null
}
