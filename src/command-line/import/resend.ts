import type { Source } from "./report.ts"
import type { ResendApi } from "./resend-api.ts"
import { importContacts } from "./resend-contacts.ts"
import { importDomains } from "./resend-domains.ts"
import { importSuppressions } from "./resend-suppressions.ts"
import { importTemplates } from "./resend-templates.ts"

export const resendSource = (
  resend: ResendApi,
  { withProperties }: { withProperties: boolean },
): Source => ({
  steps: {
    domains: (target) => importDomains(resend, target),
    templates: (target) => importTemplates(resend, target),
    suppressions: (target) => importSuppressions(resend, target),
    contacts: (target) => importContacts(resend, target, { withProperties }),
  },
  leftBehind: [
    "API keys: Resend shows no secrets. Make new keys with edgepost or in the dashboard.",
    "Webhooks: Resend shows no signing secrets here. Make them anew with the format resend, and give the receivers the new secrets.",
    "Broadcasts: they are html, and campaigns are made of blocks.",
    "Sent emails and their events stay at Resend, and scheduled ones are sent from there.",
    "Topics, and who left one: make the topics here, and set the choices of contacts before you mail them.",
    "Automations: build them again as sequences.",
  ],
})
