import { type FocusEvent, type MouseEvent, type RefObject, useEffect, useMemo, useRef } from "react"
import { useShortcuts } from "../../app/keyboard.ts"

type Table = RefObject<HTMLElement | null>

/** `j` and `k` move the focus to the next row and the one before. */
export function useRowKeys(list: Table, count: number, scrollTo: (index: number) => void) {
  const last = useRef(-1)
  const move = useRef((_step: number) => {})
  move.current = (step) => {
    const focused = list.current?.querySelector<HTMLElement>("[data-index]:focus-within")
    const index = Number(focused?.dataset.index ?? last.current) + step
    const next = Math.min(Math.max(index, 0), count - 1)
    last.current = next
    scrollTo(next)
    requestAnimationFrame(() => focusRow(list, next))
  }
  useShortcuts(
    useMemo(
      () => [
        { keys: "j", label: "Next row", run: () => move.current(1) },
        { keys: "k", label: "Previous row", run: () => move.current(-1) },
      ],
      [],
    ),
  )
}

/** False if the row is not in the page. */
function focusRow(list: Table, index: number): boolean {
  const row = list.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  row?.querySelector<HTMLElement>("a, button")?.focus({ preventScroll: true })
  return Boolean(row)
}

/**
 * When the row with the focus is removed, the next row gets the focus. Returns what keeps the focus
 * of the list.
 */
export function useFocusAfterRemoval(list: Table, count: number) {
  const last = useRef<{ element: Element; index: number } | null>(null)
  useEffect(() => {
    if (!last.current || last.current.element.isConnected) return
    if (document.activeElement === document.body) {
      focusRow(list, Math.min(last.current.index, count - 1))
    }
  }, [list, count])
  return ({ target }: FocusEvent) => {
    const row = target.closest<HTMLElement>("[data-index]")
    last.current = row && { element: target, index: Number(row.dataset.index) }
  }
}

/** The row that was opened last, for each step of the history. */
const openedRows = new Map<string, number>()
const stepOfHistory = () => String(history.state?.__TSR_key)

export function keepOpenedRow({ target }: MouseEvent) {
  const row = (target as HTMLElement).closest<HTMLElement>("[data-index]")
  if (row) openedRows.set(stepOfHistory(), Number(row.dataset.index))
}

const MAX_FRAMES = 30

/** Whoever comes back to the list finds the focus on the row that they had opened. */
export function useOpenedRow(list: Table, hasRows: boolean) {
  useEffect(() => {
    const index = openedRows.get(stepOfHistory())
    if (!hasRows || index === undefined) return
    let frames = 0
    // The row is there once the page has scrolled back to it.
    const look = () => {
      const { activeElement } = document
      if (activeElement !== document.body && activeElement?.id !== "main") return
      if (!focusRow(list, index) && ++frames < MAX_FRAMES) frame = requestAnimationFrame(look)
    }
    let frame = requestAnimationFrame(look)
    return () => cancelAnimationFrame(frame)
  }, [list, hasRows])
}
