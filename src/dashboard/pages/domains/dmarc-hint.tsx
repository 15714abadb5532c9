import type { Domain } from "../../../client/types.ts"
import { Card } from "../../ui/page.tsx"
import { Mono } from "../../ui/request/copy.tsx"

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
            No DMARC record found. Gmail and Yahoo require one from large senders: add the record
            above.
          </p>
        ) : NO_POLICY.test(record.value) ? (
          <>
            <p>
              Your policy lets forged email through. Once all your email is signed, send forgeries
              to spam:
            </p>
            <Mono text={stricter} copy />
          </>
        ) : (
          <p>Your policy blocks forged email or sends it to spam. No action needed.</p>
        )}
      </div>
    </Card>
  )
}
