import { type MouseEvent, type ReactNode, useRef, useState } from "react"
import { store } from "../../store.ts"
import { Button } from "../button.tsx"
import { counted } from "../numbers.ts"
import { useIsStill } from "../still.ts"
import type { Column } from "./list.tsx"

type Ids = ReadonlySet<string>
const NOTHING: Ids = new Set()

/** Rows that a person has ticked. A row that leaves the list is no longer selected. */
interface Selection<T> {
  ids: ReturnType<typeof store<Ids>>
  selected(ids: Ids): T[]
  /** With `isRange`, also the rows from the one before. */
  toggle(row: T, isRange: boolean): void
  isAll(ids: Ids): boolean
  toggleAll(): void
}

/** The same object at each call, so that the columns stay and rows are drawn once. */
export function useSelection<T extends { id: string }>(rows: readonly T[]): Selection<T> {
  const shown = useRef(rows)
  shown.current = rows
  const [selection] = useState(() => createSelection(() => shown.current))
  return selection
}

function createSelection<T extends { id: string }>(rows: () => readonly T[]): Selection<T> {
  const ids = store(NOTHING)
  let last: string | undefined
  const selected = (ids: Ids) => rows().filter(({ id }) => ids.has(id))
  const isAll = (ids: Ids) => selected(ids).length === rows().length
  const set = (changed: readonly T[], isOn: boolean) => {
    const kept = new Set(selected(ids.get()).map(({ id }) => id))
    for (const { id } of changed) isOn ? kept.add(id) : kept.delete(id)
    ids.set(kept)
  }
  return {
    ids,
    selected,
    toggle(row, isRange) {
      const from = rows().findIndex(({ id }) => id === last)
      const to = rows().findIndex(({ id }) => id === row.id)
      const range = rows().slice(Math.min(from, to), Math.max(from, to) + 1)
      set(isRange && from >= 0 ? range : [row], !ids.get().has(row.id))
      last = row.id
    },
    isAll,
    toggleAll: () => set(rows(), !isAll(ids.get())),
  }
}

/** The columns with a box before each row, and one in the head. */
export const withSelection = <T extends { id: string }>(
  columns: readonly Column<T>[],
  selection: Selection<T>,
  nameOf: (row: T) => string,
): Column<T>[] => [
  {
    head: "Selected",
    headCell: <AllBox selection={selection} />,
    width: "24px",
    phone: true,
    cell: (row) => <BoxOnceStill selection={selection} row={row} nameOf={nameOf} />,
  },
  ...columns.map((column, index) => (index === 0 ? { ...column, phone: true } : column)),
]

function AllBox<T>({ selection }: { selection: Selection<T> }) {
  const ids = selection.ids.use()
  const isAll = ids.size > 0 && selection.isAll(ids)
  return (
    <Box
      label="Select all loaded rows"
      checked={isAll}
      isPart={!isAll && ids.size > 0}
      onClick={selection.toggleAll}
    />
  )
}

interface RowBoxProps<T> {
  selection: Selection<T>
  row: T
  nameOf(row: T): string
}

const BoxOnceStill = <T extends { id: string }>(props: RowBoxProps<T>) =>
  useIsStill() && <RowBox {...props} />

function RowBox<T extends { id: string }>({ selection, row, nameOf }: RowBoxProps<T>) {
  return (
    <Box
      label={`Select ${nameOf(row)}`}
      checked={selection.ids.useSome((ids) => ids.has(row.id))}
      onClick={(event) => selection.toggle(row, event.shiftKey)}
    />
  )
}

interface BoxProps {
  label: string
  checked: boolean
  isPart?: boolean
  onClick(event: MouseEvent): void
}

const Box = ({ label, checked, isPart = false, onClick }: BoxProps) => (
  <label className="grid size-6 place-items-center">
    <input
      type="checkbox"
      aria-label={label}
      checked={checked}
      ref={(box) => {
        if (box) box.indeterminate = isPart
      }}
      onClick={onClick}
      onChange={() => {}}
      className="size-4 accent-primary"
    />
  </label>
)

interface BarProps<T> {
  selection: Selection<T>
  noun: string
  nouns?: string
  children(rows: T[]): ReactNode
}

/** What can be done with all selected rows. */
export function SelectionBar<T>({ selection, noun, nouns, children }: BarProps<T>) {
  const rows = selection.selected(selection.ids.use())
  if (rows.length === 0) return null
  return (
    <div
      role="toolbar"
      aria-label="Selected rows"
      className="sticky bottom-4 z-20 flex flex-wrap items-center gap-2 justify-self-center rounded-lg bg-raised py-2 pr-2 pl-4 shadow-float"
    >
      <span role="status" className="mr-2">
        {counted(rows.length, noun, nouns)} selected
      </span>
      {children(rows)}
      <Button small kind="quiet" onClick={() => selection.ids.set(NOTHING)}>
        Clear
      </Button>
    </div>
  )
}
