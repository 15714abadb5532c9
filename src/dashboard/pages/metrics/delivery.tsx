import { Link } from "../../app/link.tsx"
import { number, percent } from "../../ui/numbers.ts"
import { Section } from "../../ui/page.tsx"
import { duration } from "../../ui/time/times.ts"
import { bouncedIn, type Delivery, type SeriesQuery } from "./data.ts"
import { emailsBehind } from "./emails-behind.ts"

/** The domain that most mailboxes of a provider have. */
const DOMAINS: Record<string, string> = {
  Gmail: "@gmail.com",
  Microsoft: "@outlook.com",
  Yahoo: "@yahoo.com",
  Apple: "@icloud.com",
  Proton: "@proton.me",
  "GMX and WEB.DE": "@gmx.de",
}

export function DeliveryTimes({ time }: Pick<Delivery, "time">) {
  return (
    <Section title="Time to delivery" about="From the API call, or the scheduled time.">
      {time ? (
        <dl className="grid grid-cols-2 overflow-hidden rounded-lg border bg-raised">
          {(
            [
              ["Median", time.medianMs],
              ["95th percentile", time.p95Ms],
            ] as const
          ).map(([label, ms]) => (
            <div key={label} className="-ml-px grid gap-1 border-l p-4">
              <dt className="text-muted">{label}</dt>
              <dd className="text-2xl font-semibold tracking-tight">{duration(ms)}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="text-muted">Nothing was delivered in this period.</p>
      )}
    </Section>
  )
}

export function Mailboxes({
  mailboxes,
  query,
}: Pick<Delivery, "mailboxes"> & { query: SeriesQuery }) {
  return (
    <Section title="Mailbox providers" about="By the domain of the first recipient.">
      {mailboxes.length === 0 ? (
        <p className="text-muted">No emails in this period.</p>
      ) : (
        <section
          aria-label="Mailbox providers"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
          tabIndex={0}
          className="overflow-x-auto rounded-lg border"
        >
          <table className="w-full text-right">
            <thead>
              <tr className="border-b text-muted">
                <th className="px-3 py-2 text-left font-normal">Provider</th>
                {["Sent", "Delivered", "Bounced", "Complained", "Opened"].map((head) => (
                  <th key={head} className="px-3 py-2 font-normal">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {mailboxes.map(({ name, ...counts }) => {
                const domain = DOMAINS[name]
                return (
                  <tr key={name} className="border-b last:border-b-0">
                    <th className="px-3 py-1.5 text-left font-normal">
                      {domain ? (
                        <Link to={emailsBehind("", query, { to: domain })}>{name}</Link>
                      ) : (
                        name
                      )}
                    </th>
                    <td className="px-3 py-1.5">{number(counts.sent)}</td>
                    <Share count={counts.delivered} of={counts.sent} />
                    <Share count={bouncedIn(counts)} of={counts.sent} />
                    <Share count={counts.complained} of={counts.sent} />
                    <Share count={counts.opened} of={counts.sent} />
                  </tr>
                )
              })}
            </tbody>
          </table>
        </section>
      )}
    </Section>
  )
}

const Share = ({ count, of }: { count: number; of: number }) => (
  <td className="px-3 py-1.5 whitespace-nowrap">
    {number(count)}
    {of > 0 && <span className="ml-1 text-xs text-muted">{percent(Math.min(1, count / of))}</span>}
  </td>
)
