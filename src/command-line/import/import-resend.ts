import type { Edgepost } from "../../client/index.ts"
import { importContacts } from "./contacts.ts"
import { importDomains } from "./domains.ts"
import type { Part } from "./report.ts"
import type { ResendApi } from "./resend-api.ts"
import { importSuppressions } from "./suppressions.ts"
import { importTemplates } from "./templates.ts"

/** Where the records go. A dry run only reads. */
export interface Target {
  client: Edgepost
  isDry: boolean
}

export const PARTS = ["domains", "templates", "suppressions", "contacts"] as const
export type PartName = (typeof PARTS)[number]

/** Data that Resend's API does not show, or that Edgepost cannot store. */
const LEFT_BEHIND = [
  "API keys: Resend shows no secrets. Make new keys with edgepost or in the dashboard.",
  "Webhooks: Resend shows no signing secrets here. Make them anew with the format resend, and give the receivers the new secrets.",
  "Broadcasts: they are html, and campaigns are made of blocks.",
  "Sent emails and their events stay at Resend, and scheduled ones are sent from there.",
  "Topics, and who left one: make the topics here, and set the choices of contacts before you mail them.",
  "Automations: Edgepost has none.",
]

export interface Report {
  dryRun: boolean
  parts: Partial<Record<PartName, Part>>
  leftBehind: string[]
}

export async function importResend(
  resend: ResendApi,
  target: Target,
  { only, withProperties }: { only: readonly PartName[]; withProperties: boolean },
  progress: (text: string) => void,
): Promise<Report> {
  const steps: Record<PartName, () => Promise<Part>> = {
    domains: () => importDomains(resend, target),
    templates: () => importTemplates(resend, target),
    suppressions: () => importSuppressions(resend, target),
    contacts: () => importContacts(resend, target, { withProperties }),
  }
  const parts: Report["parts"] = {}
  for (const name of PARTS.filter((part) => only.includes(part))) {
    progress(`Reading ${name} ...`)
    parts[name] = await steps[name]()
  }
  return { dryRun: target.isDry, parts, leftBehind: LEFT_BEHIND }
}
