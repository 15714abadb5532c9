import { Suspense } from "react"
import type { Sequence } from "../../../client/types.ts"
import { SEQUENCE_STATUSES } from "../../../worker/sequences/statuses.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { AsRequestButton } from "../../ui/as-request.tsx"
import { Badge, sentence } from "../../ui/badge.tsx"
import { buttonClass } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list.tsx"
import { number } from "../../ui/numbers.ts"
import { Page } from "../../ui/page.tsx"
import { Select } from "../../ui/select.tsx"
import { Time } from "../../ui/time.tsx"
import { Skeleton } from "../../ui/waiting.tsx"
import { stateOf } from "./state.ts"

const FirstSequence = lazy(() => import("./first-sequence.tsx"))

/** A count of people. Nobody has entered a draft. */
const counted = (
  head: string,
  name: keyof Sequence["counts"],
  phone = false,
): Column<Sequence> => ({
  head,
  width: "96px",
  phoneWidth: "64px",
  right: true,
  phone,
  cell: ({ status, counts }) => (status === "draft" ? "–" : number(counts[name])),
})

const COLUMNS: readonly Column<Sequence>[] = [
  {
    head: "Sequence",
    width: "minmax(0, 3fr)",
    cell: ({ id, name }) => (
      <Link to={`/sequences/${id}`} className="font-medium">
        {name}
      </Link>
    ),
    below: ({ updatedAt }) => (
      <>
        Changed <Time at={updatedAt} />
      </>
    ),
  },
  {
    head: "Status",
    width: "minmax(96px, 1fr)",
    phoneWidth: "84px",
    phone: true,
    cell: (sequence) => <Badge {...stateOf(sequence)} />,
  },
  counted("Waiting", "active", true),
  counted("Finished", "finished"),
  counted("Left early", "ended"),
  {
    head: "Changed",
    width: "110px",
    right: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]

export default function Sequences() {
  const [{ status = "" }, setFilters] = useFilters()
  const pages = usePages(["sequences", "list", { status }], (query) =>
    api.sequences.list({ ...query, ...(status && { status: status as Sequence["status"] }) }),
  )
  const isEmpty = pages.isSuccess && pages.rows.length === 0 && !status
  return (
    <Page
      title="Sequences"
      about="Emails that follow a person: after a sign-up, an event or a call."
      actions={
        <>
          <Link to="/sequences/new" className={buttonClass("primary")}>
            Create sequence
          </Link>
          <AsRequestButton
            method="GET"
            path={status ? `/sequences?status=${status}` : "/sequences"}
            library={`const { data } = await edgepost.sequences.list(${status ? JSON.stringify({ status }) : ""})`}
          />
        </>
      }
    >
      {!isEmpty && (
        <Select
          aria-label="Status"
          className="max-w-48"
          value={status}
          onChange={(status) => setFilters({ status })}
          options={[
            ["", "Any status"],
            ...SEQUENCE_STATUSES.map((one) => [one, sentence(one)] as const),
          ]}
        />
      )}
      <List
        {...pages}
        label="Sequences"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/sequences/${id}`}
        empty={
          status ? (
            <Empty title={`No sequences with status “${sentence(status)}”`} />
          ) : (
            <Suspense fallback={<Skeleton />}>
              <FirstSequence refetch={pages.refetch} />
            </Suspense>
          )
        }
      />
    </Page>
  )
}
