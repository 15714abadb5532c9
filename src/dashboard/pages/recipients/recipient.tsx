import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Email } from "../../../client/types.ts"
import type { getRecipient } from "../../../worker/search/contract.ts"
import { api, call, path } from "../../api/api.ts"
import { useLivePages } from "../../api/live-pages.ts"
import { readEmailRows } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import { Page, Section } from "../../ui/page.tsx"
import { CopyButton } from "../../ui/request/copy.tsx"
import { Time } from "../../ui/time/time.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { EMAIL_COLUMNS } from "../emails/columns.tsx"
import { Consent } from "./consent.tsx"
import { Erase } from "./erase.tsx"
import { SuppressionCard } from "./suppression.tsx"

export type Recipient = ReplyOf<typeof getRecipient>

export default function RecipientPage() {
  const email = useParam("email")
  const may = useMay()
  const [isErasing, setErasing] = useState(false)
  const query = useQuery({
    queryKey: ["recipient", email],
    queryFn: () => call<typeof getRecipient>({ method: "GET", path: path`/recipients/${email}` }),
  })
  return (
    <Page
      title={email}
      above={<Link to="/emails">Emails</Link>}
      actions={
        <>
          <CopyButton small={false} text={email} label="Copy address">
            Copy address
          </CopyButton>
          <MoreMenu
            items={[
              may.manage && {
                label: "Erase address",
                danger: true,
                onSelect: () => setErasing(true),
              },
            ]}
            request={{
              method: "GET",
              path: `/emails?to=${encodeURIComponent(email)}`,
              library: `const { data } = await edgepost.emails.list({ to: ${JSON.stringify(email)} })`,
            }}
            deletion={false}
          />
        </>
      }
    >
      <Loaded query={query} lines={4}>
        {(recipient) => (
          <>
            <SuppressionCard recipient={recipient} />
            <Section title="Consent" about="In each contact book with this address.">
              <Consent contacts={recipient.contacts} />
            </Section>
            <Section title="Emails">
              <Mail email={recipient.email} />
            </Section>
          </>
        )}
      </Loaded>
      {isErasing && <Erase email={email} onClose={() => setErasing(false)} />}
    </Page>
  )
}

/** The address is the page's, so the subject comes first. */
const COLUMNS: readonly Column<Email>[] = [
  {
    head: "Subject",
    width: "minmax(0, 3fr)",
    cell: ({ id, subject }) => (
      <Link to={`/emails/${id}`} className="font-medium">
        {subject || "No subject"}
      </Link>
    ),
    below: ({ from, createdAt }) => (
      <>
        <Time at={createdAt} /> · {from}
      </>
    ),
  },
  { head: "From", width: "minmax(0, 2fr)", cell: ({ from }) => from },
  ...EMAIL_COLUMNS.slice(2),
]

function Mail({ email }: { email: string }) {
  const pages = useLivePages<Email>(
    ["emails", { to: email }],
    (query, options) => api.emails.list({ ...query, to: email }, options),
    { type: "email", readRows: readEmailRows },
  )
  return (
    <List
      {...pages}
      label={`Emails to ${email}`}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      href={({ id }) => `/emails/${id}`}
      empty={<Empty title="No emails to this address" />}
    />
  )
}
