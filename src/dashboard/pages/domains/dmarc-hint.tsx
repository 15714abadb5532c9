import type { Domain } from "../../../client/types.ts"
import { Mono } from "../../ui/copy.tsx"
import { Card } from "../../ui/page.tsx"

const NO_POLICY = /\bp\s*=\s*none\b/i

/** What to do about DMARC once the domain works. */
export function DmarcHint({ domain }: { domain: Domain }) {
  const record = domain.records.find(({ kind }) => kind === "DMARC")
  if (!record || domain.status !== "verified") return null
  const stricter = record.value.replace(NO_POLICY, "p=quarantine")
  return (
    <Card>
      <h2 className="font-semibold">DMARC</h2>
      <div className="mt-1 grid max-w-prose gap-2">
        {!record.ok ? (
          <p>
            There is no DMARC record. Gmail and Yahoo ask large senders for one: publish the record
            above.
          </p>
        ) : NO_POLICY.test(record.value) ? (
          <>
            <p>
              Receivers are told to do nothing about forged mail. Once all your mail is signed, have
              it treated as spam:
            </p>
            <Mono text={stricter} copy />
          </>
        ) : (
          <p>Receivers are told to refuse forged mail or to treat it as spam. Nothing to do.</p>
        )}
      </div>
    </Card>
  )
}
