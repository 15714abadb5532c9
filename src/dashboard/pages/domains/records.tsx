import { Download } from "lucide-react"
import type { Domain } from "../../../client/types.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { download } from "../../ui/export/download.ts"
import { Section } from "../../ui/page.tsx"
import { CopyButton, Mono } from "../../ui/request/copy.tsx"
import type { Dns } from "./data.ts"
import { recordLines, zoneFile } from "./zone-file.ts"

type DnsRecord = Domain["records"][number]
type Seen = Dns["records"][number]

const PURPOSES: Record<string, string> = {
  PROOF: "Proves that you own the domain",
  DKIM: "Signs your email",
  MAIL_FROM_MX: "Receives bounces",
  MAIL_FROM_SPF: "Allows the provider to send",
  DMARC: "Protects against forged email",
  RECEIVING_MX: "Routes mail to Edgepost",
}

const COLUMNS = "md:grid-cols-[56px_minmax(0,3fr)_minmax(0,4fr)_176px]"

/** All records in one table, by what they are for, each with what DNS shows in its place. */
export function Records({
  domain,
  dns,
  title = "DNS records",
}: {
  domain: Domain
  dns: Dns | undefined
  title?: string
}) {
  const { records } = domain
  const groups = Object.entries(Object.groupBy(records, ({ kind }) => PURPOSES[kind] ?? kind))
  const seenOf = (record: DnsRecord) =>
    dns?.records.find(({ kind, name }) => kind === record.kind && name === record.name)
  return (
    <Section
      title={title}
      about={dns?.simulated ? SIMULATED : undefined}
      actions={
        <>
          <CopyButton text={recordLines(records)} label="Copy all records">
            Copy all
          </CopyButton>
          <Button small onClick={() => download(`${domain.name}.zone`, zoneFile(records))}>
            <Download size={14} aria-hidden /> Zone file
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/useSemanticElements: on a phone the cells stand below each other */}
      <div role="table" aria-label={title} className="min-w-0 rounded-lg border bg-raised">
        <Line className={`h-9 text-xs text-muted max-md:hidden ${COLUMNS}`}>
          {["Type", "Name", "Value", "Status"].map((head) => (
            // biome-ignore lint/a11y/useSemanticElements: see above
            // biome-ignore lint/a11y/useFocusableInteractive: a head does nothing
            <span role="columnheader" key={head}>
              {head}
            </span>
          ))}
        </Line>
        {groups.map(([purpose, group = []]) => (
          // biome-ignore lint/a11y/useSemanticElements: see above
          <div role="rowgroup" key={purpose}>
            <Line className="border-t bg-sunken py-1.5">
              <Cell>
                <span className="text-xs font-medium">{purpose}</span>
              </Cell>
            </Line>
            {group.map((record) => (
              <RecordLine
                key={record.name + record.value}
                record={record}
                zone={dns?.zone?.name}
                seen={seenOf(record)}
              />
            ))}
          </div>
        ))}
      </div>
    </Section>
  )
}

const SIMULATED =
  "The sandbox verifies domains without DNS. A real provider checks records like these."

const Line = ({ className, children }: { className: string; children: React.ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: see above
  // biome-ignore lint/a11y/useFocusableInteractive: it does nothing
  <div role="row" className={`grid min-w-0 items-center gap-x-4 gap-y-1 px-4 ${className}`}>
    {children}
  </div>
)

const Cell = ({ children }: { children: React.ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: see above
  <div role="cell" className="grid min-w-0 gap-1">
    {children}
  </div>
)

/** A phone shows no heads of columns. */
const PhoneHead = ({ children }: { children: string }) => (
  <span className="text-xs text-muted md:hidden">{children}</span>
)

interface RecordProps {
  record: DnsRecord
  seen: Seen | undefined
  zone: string | undefined
}

function RecordLine({ record, seen, zone }: RecordProps) {
  const { type, name, value, priority, ok } = record
  const isBelow = zone !== undefined && name.endsWith(`.${zone}`)
  return (
    <Line className={`items-start! border-t py-2 ${COLUMNS}`}>
      <Cell>
        <span className="pt-1 font-medium">{type}</span>
      </Cell>
      <Cell>
        <PhoneHead>Name</PhoneHead>
        <Mono text={isBelow ? name.slice(0, -zone.length - 1) : name} copy />
        {isBelow && <span className="text-xs text-muted wrap-anywhere">in zone {zone}</span>}
      </Cell>
      <Cell>
        <PhoneHead>Value</PhoneHead>
        <Mono text={value} copy />
        {priority !== null && <span className="text-xs text-muted">Priority {priority}</span>}
      </Cell>
      <Cell>
        <span className="pt-1">
          <Badge state={ok ? "ok" : "missing"} label={ok ? "In DNS" : stateOf(seen)} />
        </span>
        {!ok && seen && <Found seen={seen} />}
      </Cell>
    </Line>
  )
}

const stateOf = (seen: Seen | undefined) =>
  seen?.ok ? "Found, not verified yet" : seen?.found?.length ? "Wrong value" : "Not found"

function Found({ seen: { found, ok } }: { seen: Seen }) {
  if (found === null) return <span className="text-xs text-muted">DNS did not respond.</span>
  if (ok) return <span className="text-xs">Check again to verify.</span>
  if (found.length === 0) return null
  return (
    <span className="grid gap-1 text-xs text-muted">
      Found instead:
      {found.map((value) => (
        <Mono key={value} text={value} />
      ))}
    </span>
  )
}
