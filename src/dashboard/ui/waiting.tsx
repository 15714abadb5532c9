import type { UseQueryResult } from "@tanstack/react-query"
import { type ReactNode, useEffect, useState } from "react"
import { ErrorBox } from "./form/error-box.tsx"
import { Page } from "./page.tsx"

const QUIET_MS = 300

/** Grey bars in place of content that loads. They appear after 300 ms. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), QUIET_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-label="Loading" className="grid">
      {Array.from({ length: lines }, (_, line) => (
        <div key={String(line)} className="flex h-9 items-center border-b">
          {shown && (
            <div
              className={`h-3 animate-pulse rounded bg-sunken ${WIDTHS[line % WIDTHS.length]}`}
            />
          )}
        </div>
      ))}
    </div>
  )
}
const WIDTHS = ["w-2/3", "w-1/2", "w-3/4", "w-2/5"]

/** Shows a query's data, bars while it loads, or its error with a retry. */
export function Loaded<T>({
  query,
  lines,
  children,
}: {
  query: UseQueryResult<T>
  lines?: number
  children(data: T): ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <ErrorBox error={query.error} retry={() => query.refetch()} />
  return <Skeleton {...(lines === undefined ? {} : { lines })} />
}

/** The same for a whole page, which has this title while its data loads. */
export function LoadedPage<T>({
  query,
  waits,
  title,
  above,
  children,
}: {
  query: UseQueryResult<T>
  /** Whether something else that the page shows is still loading. */
  waits?: boolean
  title: string
  above?: ReactNode
  children(data: T): ReactNode
}) {
  if (query.data !== undefined && !waits) return children(query.data)
  return (
    <Page title={title} above={above}>
      <Loaded query={query}>{() => <Skeleton />}</Loaded>
    </Page>
  )
}
