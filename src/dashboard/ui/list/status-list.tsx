import { type ComponentType, type ReactNode, Suspense } from "react"
import { LIVE_MS, useLivePages } from "../../api/live-pages.ts"
import type { ListPage } from "../../api/pages.ts"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { sentence } from "../badge.tsx"
import { buttonClass } from "../button.tsx"
import { Empty } from "../empty.tsx"
import { Select } from "../menu/select.tsx"
import { Page } from "../page.tsx"
import { AsRequestButton } from "../request/as-request.tsx"
import { Skeleton } from "../waiting.tsx"
import { type Column, List } from "./list.tsx"

interface Props<Row extends { status: string }> {
  /** "campaigns": the records in the API, the library and the address. */
  noun: string
  about?: ReactNode
  create: string
  statuses: readonly Row["status"][]
  queryKey: readonly [string, ...unknown[]]
  list(
    filter: { status?: Row["status"] },
    ...page: Parameters<ListPage<Row>>
  ): ReturnType<ListPage<Row>>
  columns: readonly Column<Row>[]
  /** What a team without a record sees. */
  First: ComponentType<{ refetch(): unknown }>
}

/** Others change by somebody's hand, or as their mail does. */
const isMoving = ({ status }: { status: string }) => /^(scheduled|sending|active)$/.test(status)

/** A page with the records of a team, which can be filtered by their status. */
export function StatusList<Row extends { id: string; status: string }>({
  noun,
  about,
  create,
  statuses,
  queryKey,
  list,
  columns,
  First,
}: Props<Row>) {
  const [{ status = "" }, setFilters] = useFilters()
  const filter = status ? { status: status as Row["status"] } : {}
  const pages = useLivePages<Row>(
    [...queryKey, { status }],
    (...page) => list(filter, ...page),
    // Mail moves the counts.
    { type: "email", everyMs: LIVE_MS, isMoving },
  )
  const isEmpty = pages.isSuccess && pages.rows.length === 0 && !status
  return (
    <Page
      title={sentence(noun)}
      about={about}
      actions={
        <>
          <Link to={`/${noun}/new`} className={buttonClass("primary")}>
            {create}
          </Link>
          <AsRequestButton
            method="GET"
            path={status ? `/${noun}?status=${status}` : `/${noun}`}
            library={`const { data } = await edgepost.${noun}.list(${status ? JSON.stringify(filter) : ""})`}
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
          options={[["", "Any status"], ...statuses.map((one) => [one, sentence(one)] as const)]}
        />
      )}
      <List
        {...pages}
        label={sentence(noun)}
        columns={columns}
        rowKey={({ id }) => id}
        href={({ id }) => `/${noun}/${id}`}
        empty={
          status ? (
            <Empty title={`No ${noun} with status “${sentence(status)}”`} />
          ) : (
            <Suspense fallback={<Skeleton />}>
              <First refetch={pages.refetch} />
            </Suspense>
          )
        }
      />
    </Page>
  )
}
