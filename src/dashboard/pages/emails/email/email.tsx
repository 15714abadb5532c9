import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import type { EmailExplanation, EmailWithEvents } from "../../../../client/types.ts"
import { api } from "../../../api/api.ts"
import { emailQuery } from "../../../api/queries.ts"
import { lazy } from "../../../app/lazy.ts"
import { Link } from "../../../app/link.tsx"
import { useParam } from "../../../app/params.ts"
import { useMay } from "../../../app/people.ts"
import { number } from "../../../ui/numbers.ts"
import { Card, Facts, Page, Section } from "../../../ui/page.tsx"
import { AsRequestButton } from "../../../ui/request/as-request.tsx"
import { Mono } from "../../../ui/request/copy.tsx"
import { requestOf } from "../../../ui/request/request-of.ts"
import { Tabs } from "../../../ui/tabs.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { LoadedPage } from "../../../ui/waiting.tsx"
import { EmailActions } from "../actions.tsx"
import { viewPage } from "../search/view-query.ts"
import { EmailBody, EmailHeaders, EmailSource, EmailText, useContent } from "./body.tsx"
import { EmailWebhooks } from "./email-webhooks.tsx"
import { bareAddress } from "./recipients.ts"
import { Timeline } from "./timeline.tsx"
import { Why } from "./why.tsx"

const EmailReplies = lazy(() => import("../../threads/email-replies.tsx"))

export default function EmailPage() {
  const id = useParam("id")
  const query = useQuery(emailQuery(id))
  // Its key begins as the email's, so a change of the email makes it stale.
  const why = useQuery({
    queryKey: ["email", id, "explain"],
    queryFn: () => api.emails.explain(id),
  })
  useContent(id)
  return (
    <LoadedPage
      query={query}
      waits={why.isPending}
      title="Email"
      above={<Link to="/emails">Emails</Link>}
    >
      {(email) => <Shown email={email} explanation={why.data} />}
    </LoadedPage>
  )
}

interface ShownProps {
  email: EmailWithEvents
  explanation: EmailExplanation | undefined
}

function Shown({ email, explanation }: ShownProps) {
  const { id } = email
  const { manage } = useMay()
  const replies = email.events.flatMap(({ receivedId }) => receivedId ?? [])
  return (
    <Page
      title={email.subject || "No subject"}
      above={<Link to="/emails">Emails</Link>}
      about={<>to {people(email.to)}</>}
      actions={
        <>
          <EmailActions email={email} />
          <AsRequestButton {...requestOf("GET", `/emails/${id}`, "emails.get", id)} />
        </>
      }
    >
      <Why email={email} explanation={explanation} />
      <Suspense>{replies.length > 0 && <EmailReplies ids={replies} />}</Suspense>
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Section title="Timeline">
          <Card>
            <Timeline email={email} attempts={explanation?.attempts} />
          </Card>
        </Section>
        <Tabs
          label="Content"
          tabs={[
            { name: "Preview", children: <EmailBody id={id} /> },
            { name: "Text", children: <EmailText id={id} /> },
            { name: "Headers", children: <EmailHeaders id={id} /> },
            { name: "Source", children: <EmailSource id={id} /> },
            manage && { name: "Webhooks", children: <EmailWebhooks id={id} /> },
          ]}
        />
      </div>
      <Section title="Message">
        <Card>
          <Details email={email} />
        </Card>
      </Section>
    </Page>
  )
}

/** More than these are behind a click. */
const PEOPLE_SHOWN = 3

function people(addresses: readonly string[]) {
  const more = addresses.length - PEOPLE_SHOWN
  return (
    <>
      {addresses.slice(0, PEOPLE_SHOWN).map(linkTo)}
      {more > 0 && (
        <details>
          <summary>and {number(more)} more</summary>
          {addresses.slice(PEOPLE_SHOWN).map(linkTo)}
        </details>
      )}
    </>
  )
}

const linkTo = (address: string) => (
  <span key={address} className="mr-3 inline-block">
    <Link
      to={`/recipients/${encodeURIComponent(bareAddress(address))}`}
      className="underline underline-offset-2"
    >
      {address}
    </Link>
  </span>
)

function Details({ email }: { email: EmailWithEvents }) {
  return (
    <Facts
      facts={[
        ["ID", <Mono key="id" text={email.id} copy />],
        ["From", email.from],
        email.cc.length > 0 && ["Cc", people(email.cc)],
        email.bcc.length > 0 && ["Bcc", people(email.bcc)],
        email.replyTo.length > 0 && ["Reply to", email.replyTo.join(", ")],
        ["Created", <Time key="at" at={email.createdAt} />],
        email.scheduledAt !== null && ["Scheduled", <Time key="at" at={email.scheduledAt} />],
        email.sentAt !== null && ["Sent", <Time key="at" at={email.sentAt} />],
        email.campaignId !== null && [
          "Campaign",
          <Link
            key="campaign"
            to={`/campaigns/${email.campaignId}`}
            className="underline underline-offset-2"
          >
            {email.campaignId}
          </Link>,
        ],
        email.templateId !== null && [
          "Template",
          <Link
            key="template"
            to={`/templates/${email.templateId}`}
            className="underline underline-offset-2"
          >
            {email.templateId}
          </Link>,
        ],
        Object.keys(email.tags).length > 0 && [
          "Tags",
          Object.entries(email.tags).map(([key, value]) => (
            <Link
              key={key}
              to={viewPage({ query: { tag: `${key}:${value}` } })}
              className="mr-2 inline-block underline-offset-2 hover:underline"
            >
              <code className="font-mono text-xs">
                {key}:{value}
              </code>
            </Link>
          )),
        ],
        email.lastError !== null && ["Last error", email.lastError],
      ]}
    />
  )
}
