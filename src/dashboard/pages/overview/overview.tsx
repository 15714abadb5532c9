import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import type { Email } from "../../../client/types.ts"
import type { getOverview } from "../../../worker/stats/overview/contract.ts"
import { api, call } from "../../api/api.ts"
import { useLivePages } from "../../api/live-pages.ts"
import { useRefresh } from "../../api/pages.ts"
import { listCampaigns, readEmailRows } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { List } from "../../ui/list/list.tsx"
import { counted } from "../../ui/numbers.ts"
import { Page, Section } from "../../ui/page.tsx"
import { Skeleton } from "../../ui/waiting.tsx"
import { EMAIL_COLUMNS } from "../emails/columns.tsx"
import { Alerts, campaignAlert } from "./alerts.tsx"
import { Checklist } from "./checklist.tsx"
import { LastDays } from "./last-days.tsx"
import { Numbers } from "./numbers.tsx"

const FirstEmail = lazy(() => import("../emails/first-email.tsx"))

const LAST = 20

const OVERVIEW = ["emails", "overview"]

export default function Overview() {
  useRefresh("email", [OVERVIEW])
  const overview = useQuery({
    // The stream's changes of emails make it stale, at most twice a second.
    queryKey: OVERVIEW,
    queryFn: () => call<typeof getOverview>({ method: "GET", path: "/overview" }),
  })
  const { data: waiting = [] } = useQuery({
    queryKey: ["campaigns", "waiting"],
    queryFn: async () =>
      (await listCampaigns({ limit: 25 })).data.filter(({ pausedReason }) => pausedReason),
  })
  const emails = useLivePages<Email>(["emails", "last"], api.emails.list, {
    type: "email",
    readRows: readEmailRows,
  })
  return (
    <Page title="Overview" about={<Verdict overview={overview.data} waiting={waiting.length} />}>
      {overview.error && !overview.data ? (
        <ErrorBox error={overview.error} retry={() => overview.refetch()} />
      ) : (
        <Section title="Last 24 hours">
          <Numbers counts={overview.data} />
        </Section>
      )}
      {overview.data && (
        <>
          <Alerts alerts={[...overview.data.alerts, ...waiting.map(campaignAlert)]} />
          <Checklist checklist={overview.data.checklist} />
        </>
      )}
      <LastDays isEmpty={overview.data?.checklist.firstEmailSent === false} />
      <Section
        title="Recent emails"
        actions={
          <Link to="/emails" className="underline underline-offset-2">
            All emails
          </Link>
        }
      >
        <List
          {...emails}
          label="Recent emails"
          columns={EMAIL_COLUMNS}
          rows={emails.rows.slice(0, LAST)}
          hasNextPage={false}
          rowKey={({ id }) => id}
          href={({ id }) => `/emails/${id}`}
          empty={
            <Suspense fallback={<Skeleton />}>
              <FirstEmail />
            </Suspense>
          }
        />
      </Section>
    </Page>
  )
}

interface VerdictProps {
  overview: ReplyOf<typeof getOverview> | undefined
  /** How many campaigns wait for a person. */
  waiting: number
}

/** Whether everything is all right, in words. */
function Verdict({ overview, waiting }: VerdictProps) {
  // Its line is there from the beginning, so that nothing moves.
  if (!overview) return <>&nbsp;</>
  const { alerts, today } = overview
  const count = alerts.length + waiting
  if (count > 0) return `${counted(count, "issue")} ${count === 1 ? "needs" : "need"} attention`
  if (today.sent === 0) return "No email sent in the last 24 hours."
  return <Badge state="ok" label="All good" />
}
