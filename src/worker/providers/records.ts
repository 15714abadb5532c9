import type { DnsRecord } from "../domains/contract.ts"

type ProofRecord = Omit<DnsRecord, "ok">

/** The three records of SES's Easy DKIM. */
export const easyDkimRecords = (
  domain: string,
  tokens: readonly string[],
  hostedZone: string,
): ProofRecord[] =>
  tokens.map((token) => ({
    kind: "DKIM",
    type: "CNAME",
    name: `${token}._domainkey.${domain}`,
    value: `${token}.${hostedZone}`,
    priority: null,
  }))

export const mailFromDomain = (domain: string) => `bounce.${domain}`

/** Where bounces return to SES, so that SPF aligns with the domain. */
export const mailFromRecords = (domain: string, region: string): ProofRecord[] => [
  {
    kind: "MAIL_FROM_MX",
    type: "MX",
    name: mailFromDomain(domain),
    value: `feedback-smtp.${region}.amazonses.com`,
    priority: 10,
  },
  {
    kind: "MAIL_FROM_SPF",
    type: "TXT",
    name: mailFromDomain(domain),
    value: "v=spf1 include:amazonses.com ~all",
    priority: null,
  },
]
