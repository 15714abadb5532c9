import { type PointerEvent, useEffect, useRef, useState } from "react"
import { type ListId, type Place, TOP } from "./draft.ts"

/** The block that a pointer holds, and where it would go. */
export interface Drag {
  key: string
  to: Place
}

interface Point {
  x: number
  y: number
}

const STARTS_AFTER_PX = 4
/** This close to the window's upper or lower edge, the page scrolls. */
const EDGE_PX = 64
const SCROLL_PX = 12

/** Moves a block with a pointer. Esc leaves it where it was. */
export function useDrag(drop: (drag: Drag) => void) {
  const [drag, setDrag] = useState<Drag | null>(null)
  const latest = useRef(drop)
  latest.current = drop
  const cancel = useRef(() => {})
  useEffect(() => () => cancel.current(), [])

  function grab(event: PointerEvent<HTMLElement>, key: string, isColumns: boolean) {
    const grip = event.currentTarget
    const row = grip.closest("li")
    if (!row || event.button !== 0) return
    const start = { x: event.clientX, y: event.clientY + scrollY }
    let at: Point = { x: event.clientX, y: event.clientY }
    let held: Drag | null = null
    let frame = 0
    const end = new AbortController()
    const { signal } = end

    const follow = () => {
      row.style.transform = `translate(${at.x - start.x}px, ${at.y + scrollY - start.y}px)`
      const to = placeAt(at, row, isColumns)
      if (held?.to.list !== to.list || held.to.index !== to.index) {
        held = { key, to }
        setDrag(held)
      }
    }
    const scroll = () => {
      if (at.y < EDGE_PX) scrollBy(0, -SCROLL_PX)
      else if (at.y > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX)
      follow()
      frame = requestAnimationFrame(scroll)
    }
    const stop = () => {
      end.abort()
      cancelAnimationFrame(frame)
      row.style.transform = ""
      setDrag(null)
    }
    cancel.current = stop
    grip.setPointerCapture(event.pointerId)
    const move = ({ clientX: x, clientY: y }: globalThis.PointerEvent) => {
      at = { x, y }
      const distance = Math.hypot(x - start.x, y + scrollY - start.y)
      if (!frame && distance > STARTS_AFTER_PX) scroll()
    }
    const release = () => {
      stop()
      if (held) latest.current(held)
    }
    grip.addEventListener("pointermove", move, { signal })
    grip.addEventListener("pointerup", release, { signal })
    grip.addEventListener("pointercancel", stop, { signal })
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && stop()
    addEventListener("keydown", onKey, { signal })
  }

  return { drag, grab }
}

/** Columns hold no columns, so those stay in the list of the message. */
function placeAt({ x, y }: Point, row: Element, isColumns: boolean): Place {
  const under = document.elementsFromPoint(x, y).find((element) => !row.contains(element))
  const inside = under?.closest<HTMLElement>("[data-list]")?.dataset.list
  const list: ListId = isColumns ? TOP : (inside ?? TOP)
  const others = [...document.querySelectorAll(`[data-in="${list}"]`)].filter((one) => one !== row)
  const index = others.filter((one) => middleOf(one) < y).length
  return { list, index }
}

function middleOf(element: Element): number {
  const { top, height } = element.getBoundingClientRect()
  return top + height / 2
}
