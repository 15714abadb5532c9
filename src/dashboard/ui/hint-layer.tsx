import { useEffect, useState } from "react"

/** A longer text needs more than a line or two above its element. */
const LONG = 120

interface Shown {
  text: string
  at: DOMRect
}

/** The whole text of a cell that shows only its beginning. */
function cutText(element: Element): string | undefined {
  const cut = element.closest<HTMLElement>(".truncate")
  return cut && cut.scrollWidth > cut.clientWidth ? cut.innerText : undefined
}

/**
 * Shows the `data-hint` of what is under the pointer or has the focus, or a text that is cut: one
 * layer for the page.
 */
export function HintLayer() {
  const [shown, setShown] = useState<Shown | null>(null)
  useEffect(() => {
    const show = ({ target }: Event) => {
      if (!(target instanceof Element)) return setShown(null)
      const hinted = target.closest<HTMLElement>("[data-hint]")
      const text = hinted?.dataset.hint ?? cutText(target)
      setShown(text ? { text, at: (hinted ?? target).getBoundingClientRect() } : null)
    }
    const hide = () => setShown(null)
    const events: [string, (event: Event) => void][] = [
      ["pointerover", show],
      ["focusin", show],
      ["focusout", hide],
      ["pointerdown", hide],
      ["scroll", hide],
      ["keydown", hide],
    ]
    for (const [name, listener] of events) addEventListener(name, listener, { passive: true })
    return () => {
      for (const [name, listener] of events) removeEventListener(name, listener)
    }
  }, [])
  if (!shown) return null
  const { left, top, bottom, width } = shown.at
  const below = top < (shown.text.length > LONG ? innerHeight / 2 : 48)
  return (
    <div
      aria-hidden
      style={{
        left: Math.min(Math.max(left + width / 2, 96), innerWidth - 96),
        top: below ? bottom + 6 : top - 6,
      }}
      className={`pointer-events-none fixed z-50 w-max max-w-80 -translate-x-1/2 rounded-md bg-raised px-2 py-1 text-xs wrap-anywhere shadow-float ${below ? "" : "-translate-y-full"}`}
    >
      {shown.text}
    </div>
  )
}
