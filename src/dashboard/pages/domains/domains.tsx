import { Suspense } from "react"
import type { Domain } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { NewButton } from "../../app/new-button.tsx"
import { useFilters } from "../../app/params.ts"
import { useMay, useSession } from "../../app/people.ts"
import { Badge } from "../../ui/badge.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { Page } from "../../ui/page.tsx"
import { ListAsRequest } from "../../ui/request/as-request.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { Time } from "../../ui/time/time.tsx"

const AddDomain = lazy(() => import("./add-domain.tsx"))

const COLUMNS: readonly Column<Domain>[] = [
  {
    head: "Domain",
    width: "minmax(0, 3fr)",
    cell: ({ id, name }) => (
      <Link to={`/domains/${id}`} className="font-medium">
        {name}
      </Link>
    ),
    below: recordsOf,
  },
  {
    head: "Status",
    width: "minmax(96px, 1fr)",
    phone: true,
    cell: ({ status }) => <Badge state={status} />,
  },
  { head: "Records", width: "minmax(0, 2fr)", cell: (domain) => recordsOf(domain) },
  {
    head: "Verified",
    width: "minmax(88px, 1fr)",
    right: true,
    cell: ({ verifiedAt }) => <Time at={verifiedAt} />,
  },
  {
    head: "Added",
    width: "minmax(88px, 1fr)",
    right: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** "4 of 6 in DNS", or "Written by Edgepost". */
function recordsOf({ records, dnsMode }: Domain): string {
  const inDns = records.filter(({ ok }) => ok).length
  const counted = inDns === records.length ? "All in DNS" : `${inDns} of ${records.length} in DNS`
  return records.length === 0
    ? "None needed"
    : dnsMode === "auto"
      ? `${counted}, added for you`
      : counted
}

export default function Domains() {
  const may = useMay()
  const [, at] = useSession().user.email.split("@")
  const [{ new: isNew }, setFilters] = useFilters()
  const pages = usePages(["domains", "list"], (query) => api.domains.list(query))
  const add = may.manage && <NewButton>Add domain</NewButton>
  return (
    <Page
      title="Domains"
      about="Send from verified domains and their subdomains."
      actions={
        <>
          {pages.rows.length > 0 && add}
          <ListAsRequest path="/domains" />
        </>
      }
    >
      <List
        {...pages}
        label="Domains"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/domains/${id}`}
        empty={
          <FirstCall
            title="No domains yet"
            request={requestOf("POST", "/domains", "domains.create", { name: `mail.${at}` })}
            refetch={pages.refetch}
          >
            <p>
              Add your domain and publish the DNS records you get. Once they are verified, you can
              send.
            </p>
            <div>{add}</div>
          </FirstCall>
        }
      />
      <Suspense>
        {isNew && may.manage && <AddDomain onClose={() => setFilters({ new: undefined })} />}
      </Suspense>
    </Page>
  )
}
