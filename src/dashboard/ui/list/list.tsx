import { useNavigate } from "@tanstack/react-router"
import { useWindowVirtualizer } from "@tanstack/react-virtual"
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react"
import { useRowHeight } from "../../app/density.ts"
import { Button } from "../button.tsx"
import { ErrorBox } from "../form/error-box.tsx"
import { number } from "../numbers.ts"
import { Time } from "../time/time.tsx"
import { Skeleton } from "../waiting.tsx"
import { keepOpenedRow, useFocusAfterRemoval, useOpenedRow, useRowKeys } from "./list-focus.ts"
import { cellClass, DataRow, isOnPhone, Row } from "./list-row.tsx"

export interface Column<T> {
  head: string
  headCell?: ReactNode
  /** A track of the grid: "minmax(0,2fr)", "120px". */
  width: string
  /** The same on a phone. */
  phoneWidth?: string
  cell(row: T): ReactNode
  /** On a phone, a second line under the cell, for columns that are hidden there. */
  below?(row: T): ReactNode
  /** Whether a phone shows the column. By default only the first. */
  phone?: boolean
  right?: boolean
  /** For a column of menus: only screen readers get its head. */
  isHeadHidden?: boolean
}

export const CREATED: Column<{ createdAt: string }> = {
  head: "Created",
  width: "112px",
  right: true,
  cell: ({ createdAt }) => <Time at={createdAt} />,
}

interface Props<T> {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  rowKey(row: T): string
  /** The page of a row, below `/dashboard`. */
  href?(row: T): string
  isPending?: boolean
  error?: unknown
  refetch?(): void
  hasNextPage?: boolean
  isFetchingNextPage?: boolean
  fetchNextPage?(): void
  /** New rows that wait. */
  waiting?: number
  /** There are more new rows than were counted. */
  isWaitingCut?: boolean
  showWaiting?(): void
  empty: ReactNode
}

/** A table of any length. `j` and `k` move, Enter opens; only the rows in sight are in the page. */
export function List<T>(props: Props<T>) {
  const {
    label,
    columns,
    rows,
    rowKey,
    href,
    isPending,
    error,
    refetch,
    waiting = 0,
    empty,
  } = props
  const list = useRef<HTMLDivElement>(null)
  const navigate = useNavigate()
  const isPhone = useIsPhone()
  const rowPx = useRowHeight(isPhone)
  const virtual = useRowsInSight(list, rows.length, rowPx)
  const items = virtual.getVirtualItems()
  useMore(props, items.at(-1)?.index)
  useRowKeys(list, rows.length, virtual.scrollToIndex)
  useOpenedRow(list, rows.length > 0)
  const keepFocus = useFocusAfterRemoval(list, rows.length)

  if (isPending) return <Skeleton lines={8} />
  if (error && rows.length === 0)
    return <ErrorBox error={error} {...(refetch && { retry: refetch })} />
  if (rows.length === 0 && waiting === 0) return empty
  const template = columns.map(({ width }) => width).join(" ")
  const phoneTemplate = columns
    .filter(isOnPhone)
    .map(({ width, phoneWidth = width }) => phoneWidth)
    .join(" ")
  const tracks = {
    "--tracks": template,
    "--phone-tracks": phoneTemplate,
    "--row": `${rowPx}px`,
  } as React.CSSProperties
  return (
    <div className="min-w-0">
      {waiting > 0 && (
        <div className="sticky top-14 z-10 flex h-0 justify-center md:top-2">
          <Button small kind="primary" onClick={props.showWaiting}>
            {number(waiting)}
            {props.isWaitingCut && "+"} new
          </Button>
        </div>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: rows that are out of sight are not in the page */}
      <div role="table" aria-label={label} aria-rowcount={rows.length} style={tracks}>
        <Row className="h-9 border-b text-xs text-muted">
          {columns.map((column) => (
            // biome-ignore lint/a11y/useSemanticElements: see above
            // biome-ignore lint/a11y/useFocusableInteractive: a head does nothing
            <div role="columnheader" key={column.head} className={cellClass(column, columns)}>
              {column.headCell ??
                (column.isHeadHidden ? (
                  <span className="sr-only">{column.head}</span>
                ) : (
                  column.head
                ))}
            </div>
          ))}
        </Row>
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div
          role="rowgroup"
          ref={list}
          className="relative"
          onClickCapture={keepOpenedRow}
          onFocusCapture={keepFocus}
          style={{ height: virtual.getTotalSize() }}
        >
          {items.map(({ index, start }) => {
            const row = rows[index] as T
            return (
              <DataRow
                key={rowKey(row)}
                row={row}
                index={index}
                top={start - virtual.options.scrollMargin}
                columns={columns}
                isPhone={isPhone}
                to={href?.(row)}
                navigate={navigate}
              />
            )
          })}
        </div>
      </div>
      {props.isFetchingNextPage && <Skeleton lines={2} />}
      {Boolean(error) && <ErrorBox error={error} {...(refetch && { retry: refetch })} />}
    </div>
  )
}

/** The rows that the window shows, and some around them. */
function useRowsInSight(list: RefObject<HTMLElement | null>, count: number, rowPx: number) {
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => {
    const top = list.current?.getBoundingClientRect().top
    if (top !== undefined) setMargin(top + scrollY)
  })
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: margin,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights are measured anew
  useLayoutEffect(() => virtual.measure(), [rowPx])
  return virtual
}

/** The width at which `md:` of Tailwind begins. */
const narrow = matchMedia("(width < 768px)")

const useIsPhone = () =>
  useSyncExternalStore(
    (watcher) => {
      narrow.addEventListener("change", watcher)
      return () => narrow.removeEventListener("change", watcher)
    },
    () => narrow.matches,
  )

/** Asks for the next page shortly before the end is in sight. */
function useMore<T>(props: Props<T>, last = 0) {
  const { rows, isFetchingNextPage, fetchNextPage } = props
  // A page that failed waits for the person to try again.
  const hasNextPage = props.hasNextPage && !props.error
  useEffect(() => {
    if (last >= rows.length - 20 && hasNextPage && !isFetchingNextPage) fetchNextPage?.()
  }, [last, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage])
}
