import { useLayoutEffect } from "react"
import { store } from "../store.ts"

interface Shortcut {
  /** "?", or two keys in a row: "g e". */
  keys: string
  /** What it does, as the help says. */
  label: string
  run(): void
}

const SEQUENCE_MS = 1_000
const active = new Set<Shortcut>()
let before = { key: "", at: 0 }

/** Shortcuts work while their component is shown, but never while somebody types. */
export function useShortcuts(shortcuts: readonly Shortcut[]) {
  // Before the component is shown: a key may come at once.
  useLayoutEffect(() => {
    for (const shortcut of shortcuts) active.add(shortcut)
    return () => {
      for (const shortcut of shortcuts) active.delete(shortcut)
    }
  }, [shortcuts])
}

const STORED = "character-shortcuts"
const areOn = store(localStorage.getItem(STORED) !== "off")

/**
 * Shortcuts without Ctrl can be switched off in this browser, because dictated words would press
 * them.
 */
export const characterKeys = {
  use: areOn.use,
  set(on: boolean) {
    if (on) localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, "off")
    areOn.set(on)
  },
}

export const activeShortcuts = (): Shortcut[] => [...active]

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"))

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (!areOn.get()) return
  // The code editor is in a shadow tree, whose events seem to come from its host.
  if (
    isTyping(event.composedPath()[0] ?? null) ||
    document.querySelector("[role=dialog], [role=menu]")
  )
    return
  const sequence = event.timeStamp - before.at < SEQUENCE_MS ? `${before.key} ${event.key}` : ""
  const found =
    activeShortcuts().find(({ keys }) => keys === sequence) ??
    activeShortcuts().find(({ keys }) => keys === event.key)
  before = { key: event.key, at: event.timeStamp }
  if (!found) return
  event.preventDefault()
  before.key = ""
  found.run()
})
