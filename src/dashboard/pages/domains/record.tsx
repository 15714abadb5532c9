import type { Domain } from "../../../client/types.ts"
import { Badge } from "../../ui/badge.tsx"
import { Mono } from "../../ui/copy.tsx"
import { Card, Facts } from "../../ui/page.tsx"
import type { Dns } from "./data.ts"

type DnsRecord = Domain["records"][number]

const PURPOSES: Record<string, string> = {
  PROOF: "Proves that you own the domain",
  DKIM: "Signs your email",
  MAIL_FROM_MX: "Receives bounces",
  MAIL_FROM_SPF: "Allows the provider to send",
  DMARC: "Protects against forged email",
}

/** A record to publish, and what DNS shows in its place. */
export function RecordCard({
  record,
  seen,
  zone,
}: {
  record: DnsRecord
  seen: Dns["records"][number] | undefined
  zone: string | undefined
}) {
  const { kind, type, name, value, priority, ok } = record
  const isBelow = zone !== undefined && name.endsWith(`.${zone}`)
  return (
    <Card>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span>
          <span className="font-medium">{type}</span>{" "}
          <span className="text-muted">{PURPOSES[kind] ?? kind}</span>
        </span>
        <Badge state={ok ? "ok" : "missing"} label={ok ? "In DNS" : stateOf(seen)} />
      </div>
      <Facts
        facts={[
          ["Name", <Mono key="name" text={name} copy />],
          isBelow && [
            `Within ${zone}`,
            <Mono key="host" text={name.slice(0, -zone.length - 1)} copy />,
          ],
          ["Value", <Mono key="value" text={value} copy />],
          priority !== null && ["Priority", <Mono key="priority" text={String(priority)} copy />],
          !ok && seen && ["Found instead", <Seen key="seen" seen={seen} />],
        ]}
      />
    </Card>
  )
}

const stateOf = (seen: Dns["records"][number] | undefined) =>
  seen?.ok ? "Found, not verified yet" : seen?.found?.length ? "Wrong value" : "Not found"

function Seen({ seen: { found, ok } }: { seen: Dns["records"][number] }) {
  if (found === null) return <span className="text-muted">DNS did not respond.</span>
  if (ok) return "Found. Check again to verify."
  if (found.length === 0)
    return <span className="text-muted">No record with this name and type.</span>
  return (
    <ul className="grid gap-1">
      {found.map((value) => (
        <li key={value}>
          <Mono text={value} />
        </li>
      ))}
    </ul>
  )
}
