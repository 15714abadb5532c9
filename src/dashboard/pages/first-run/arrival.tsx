import { useQuery } from "@tanstack/react-query"
import type { Email } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { installationQuery } from "../../api/installation.ts"
import { useRefresh } from "../../api/pages.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import { buttonClass } from "../../ui/button.tsx"
import { Card, Facts } from "../../ui/page.tsx"
import { Time } from "../../ui/time/time.tsx"

/** Ids are made in the order of time, whatever they are of. */
const bornAfter = (id: string, other: string) =>
  id.slice(id.indexOf("_")) > other.slice(other.indexOf("_"))

const NEWEST = ["emails", "newest"]

/** The newest email, if it was made after the key. The stream keeps it up to date. */
export function useFirstEmail(keyId: string | undefined): Email | undefined {
  useRefresh("email", [NEWEST])
  const newest = useQuery({
    queryKey: NEWEST,
    queryFn: () => api.emails.list({ limit: 1 }),
    enabled: keyId !== undefined,
  })
  return newest.data?.data.find(({ id }) => keyId !== undefined && bornAfter(id, keyId))
}

export function Arrival({ email }: { email: Email | undefined }) {
  const { data: installation } = useQuery(installationQuery)
  if (!email) {
    return (
      <p role="status" className="rounded-lg border border-dashed p-4 text-muted">
        <span
          aria-hidden
          className="mr-2 inline-block size-2 animate-pulse rounded-full bg-waiting"
        />
        Waiting for your first email
      </p>
    )
  }
  const isCaptured = installation?.provider === "sandbox"
  return (
    <Card>
      <div role="status" className="grid gap-4">
        <p className="flex flex-wrap items-center gap-3 text-base font-semibold">
          Your email arrived <Badge state={email.status} />
        </p>
        <Facts
          facts={[
            ["From", email.from],
            ["To", email.to.join(", ")],
            ["Subject", email.subject],
            ["Created", <Time key="time" at={email.createdAt} />],
          ]}
        />
        <div className="flex flex-wrap gap-2">
          {isCaptured && (
            <Link to={`/inbox/${email.id}`} className={buttonClass("primary")}>
              Open in test inbox
            </Link>
          )}
          <Link to={`/emails/${email.id}`} className={buttonClass()}>
            View details
          </Link>
          <Link to="/" className={buttonClass("quiet")}>
            Go to the overview
          </Link>
        </div>
      </div>
    </Card>
  )
}
