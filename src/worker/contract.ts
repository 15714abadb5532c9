import * as keys from "./access/keys/contract.ts"
import * as people from "./access/people/contract.ts"
import * as profile from "./access/people/profile-contract.ts"
import * as secondFactor from "./access/people/second-factors/second-factor-contract.ts"
import * as visitors from "./access/people/sign-in/visitors-contract.ts"
import * as refusedCalls from "./access/refused-calls/contract.ts"
import * as campaigns from "./campaigns/contract.ts"
import { listCampaignRows } from "./campaigns/dashboard-contract.ts"
import * as layouts from "./campaigns/layouts/contract.ts"
import * as campaignRuns from "./campaigns/run/contract.ts"
import * as contactEvents from "./contact-events/contract.ts"
import * as confirmation from "./contacts/confirmation/contract.ts"
import * as contacts from "./contacts/contract.ts"
import * as consents from "./contacts/dashboard-contract.ts"
import * as contactImport from "./contacts/import/contract.ts"
import * as domains from "./domains/contract.ts"
import * as domainDns from "./domains/dashboard-contract.ts"
import * as check from "./emails/check/contract.ts"
import * as content from "./emails/content/contract.ts"
import * as emails from "./emails/contract.ts"
import * as explain from "./emails/explain/contract.ts"
import * as emailLists from "./emails/list/contract.ts"
import * as raw from "./emails/raw/contract.ts"
import * as erasure from "./erasure/contract.ts"
import * as forms from "./forms/contract.ts"
import * as images from "./images/contract.ts"
import type { Endpoint } from "./platform/http/endpoint.ts"
import * as received from "./received/contract.ts"
import * as inboxes from "./received/inboxes/inboxes-contract.ts"
import * as threads from "./received/threads/threads-contract.ts"
import * as sandbox from "./sandbox/contract.ts"
import * as inbox from "./sandbox/dashboard-contract.ts"
import * as search from "./search/contract.ts"
import * as segments from "./segments/contract.ts"
import * as segmentCounts from "./segments/dashboard-contract.ts"
import * as sequences from "./sequences/contract.ts"
import { listSequenceRows } from "./sequences/dashboard-contract.ts"
import * as sequenceRuns from "./sequences/runs/contract.ts"
import * as runRows from "./sequences/runs/dashboard-contract.ts"
import * as sequenceSimulation from "./sequences/simulation/contract.ts"
import * as stats from "./stats/contract.ts"
import { getStatsDelivery } from "./stats/delivery/contract.ts"
import { listCampaignLinks, listTemplateLinks } from "./stats/links/contract.ts"
import * as overview from "./stats/overview/contract.ts"
import { listTemplateSends } from "./stats/template-sends/contract.ts"
import * as stream from "./stream/contract.ts"
import * as suppressions from "./suppressions/contract.ts"
import * as audit from "./teams/audit/contract.ts"
import * as teams from "./teams/contract.ts"
import * as members from "./teams/members/contract.ts"
import * as invitations from "./teams/members/invitations-contract.ts"
import { getUsage } from "./teams/usage-contract.ts"
import * as templates from "./templates/contract.ts"
import * as drafts from "./templates/draft-contract.ts"
import * as topics from "./topics/contract.ts"
import * as views from "./views/contract.ts"
import * as webhooks from "./webhooks/contract.ts"
import * as webhookPages from "./webhooks/dashboard-contract.ts"
import * as deliveries from "./webhooks/deliveries/contract.ts"

export { API_PREFIX, AUTH_PREFIX, DASHBOARD_PREFIX } from "./prefixes.ts"

const METHODS: Endpoint["method"][] = ["POST", "GET", "PATCH", "DELETE"]

const inReading = (a: Endpoint, b: Endpoint) =>
  a.path.localeCompare(b.path) || METHODS.indexOf(a.method) - METHODS.indexOf(b.method)

const all: readonly Endpoint[] = [
  { ...keys, ...refusedCalls },
  { ...emails, ...raw, ...check, ...explain, ...content, ...emailLists },
  { ...domains, ...domainDns },
  { ...templates, ...drafts, listTemplateLinks },
  { ...contacts, ...contactImport, ...consents, ...confirmation },
  { ...segments, ...segmentCounts },
  topics,
  { ...campaigns, ...campaignRuns, listCampaignLinks, listCampaignRows },
  {
    ...{ ...sequences, ...sequenceRuns, ...sequenceSimulation, ...contactEvents, ...runRows },
    listSequenceRows,
  },
  layouts,
  images,
  suppressions,
  erasure,
  { ...webhooks, ...deliveries, ...webhookPages },
  stats,
  stream,
  people,
  profile,
  { ...teams, getUsage },
  members,
  invitations,
  audit,
  { ...overview, getStatsDelivery, listTemplateSends },
  search,
  views,
  secondFactor,
  visitors,
  { ...sandbox, ...inbox },
  inboxes,
  received,
  threads,
  forms,
].flatMap((feature) => Object.values<unknown>(feature).filter(isEndpoint).sort(inReading))

/** Every call of the API, in the order of its reference. */
export const endpoints = all.filter(({ access }) => access !== "session" && access !== "visitor")

/** What only the dashboard does. */
export const dashboardEndpoints = all.filter(({ access }) => access === "session")

/** Sign-in and all that leads to it, below `AUTH_PREFIX`. */
export const visitorEndpoints = all.filter(({ access }) => access === "visitor")

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === "object" && value !== null && "method" in value && "path" in value
}
