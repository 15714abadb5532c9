import type { useNavigate } from "@tanstack/react-router"
import { memo, type ReactNode } from "react"
import { cx } from "../cx.ts"
import type { Column } from "./list.tsx"

interface DataRowProps<T> {
  row: T
  index: number
  top: number
  columns: readonly Column<T>[]
  isPhone: boolean
  to: string | undefined
  navigate: ReturnType<typeof useNavigate>
}

/** Scrolling draws only the rows that come into sight. */
export const DataRow = memo(function DataRow<T>(props: DataRowProps<T>) {
  const { row, index, top, columns, isPhone, to, navigate } = props
  return (
    <Row
      index={index}
      top={top}
      className={cx("h-(--row) border-b", to && "cursor-pointer hover:bg-sunken")}
      {...(to && {
        onClick: (event) => {
          if ((event.target as HTMLElement).closest("a, button, label, input, [role=menu]")) return
          if (!getSelection()?.isCollapsed) return
          navigate({ href: `/dashboard${to}` })
        },
      })}
    >
      {columns.map((column) => (
        // biome-ignore lint/a11y/useSemanticElements: rows that are out of sight are not in the page
        <div role="cell" key={column.head} className={cellClass(column, columns)}>
          {column.cell(row)}
          {isPhone && column.below && (
            <div className="truncate text-xs text-muted">{column.below(row)}</div>
          )}
        </div>
      ))}
    </Row>
  )
}) as <T>(props: DataRowProps<T>) => ReactNode

export const isOnPhone = <T,>({ phone }: Column<T>, index: number) => phone ?? index === 0

export const cellClass = <T,>(column: Column<T>, columns: readonly Column<T>[]) =>
  cx(
    "min-w-0 truncate",
    column.right && "text-right",
    !isOnPhone(column, columns.indexOf(column)) && "max-md:hidden",
  )

interface RowProps {
  className: string
  index?: number
  top?: number
  onClick?(event: React.MouseEvent): void
  children: ReactNode
}

export function Row({ className, index, top, onClick, children }: RowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    // biome-ignore lint/a11y/useFocusableInteractive: the row's link has the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: the row's link does the same
    <div
      role="row"
      data-index={index}
      aria-rowindex={index === undefined ? undefined : index + 1}
      onClick={onClick}
      style={top === undefined ? undefined : { transform: `translateY(${top}px)` }}
      className={cx(
        "grid w-full grid-cols-(--phone-tracks) items-center gap-4 px-2 md:grid-cols-(--tracks)",
        top !== undefined && "absolute top-0 left-0",
        className,
      )}
    >
      {children}
    </div>
  )
}
