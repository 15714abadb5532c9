import { X } from "lucide-react"
import { useSyncExternalStore } from "react"
import { Button, IconButton } from "./button.tsx"
import { messageOf } from "./error-box.tsx"

interface Toast {
  id: number
  text: string
  isError?: boolean
  undo?: () => Promise<unknown>
}

const SHOWN_MS = 5_000
const UNDO_MS = 10_000

let toasts: readonly Toast[] = []
let lastId = 0
const watchers = new Set<() => void>()

function set(next: readonly Toast[]) {
  toasts = next
  for (const watcher of watchers) watcher()
}

const dismiss = (id: number) => set(toasts.filter((toast) => toast.id !== id))

/** Says that something was done, with a button to undo it if that is possible. */
export function say(text: string, undo?: () => Promise<unknown>) {
  const id = ++lastId
  set([...toasts, { id, text, ...(undo && { undo }) }])
  setTimeout(() => dismiss(id), undo ? UNDO_MS : SHOWN_MS)
}

/** For a failure that has no place on the page. It stays until it is dismissed. */
export const sayError = (error: unknown) =>
  set([...toasts, { id: ++lastId, text: messageOf(error), isError: true }])

export function Toasts() {
  const shown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => toasts,
  )
  return (
    <div
      role="status"
      className="fixed right-4 bottom-4 left-4 z-50 grid justify-items-end gap-2 sm:left-auto"
    >
      {shown.map(({ id, text, isError, undo }) => (
        <div
          key={id}
          className="flex max-w-96 items-center gap-3 rounded-lg bg-raised py-2 pr-2 pl-4 shadow-float"
        >
          <span className={isError ? "wrap-anywhere text-failed" : "wrap-anywhere"}>{text}</span>
          {undo && (
            <Button
              small
              onClick={() => {
                dismiss(id)
                undo().then(() => say("Undone"), sayError)
              }}
            >
              Undo
            </Button>
          )}
          <IconButton small label="Dismiss" onClick={() => dismiss(id)} className="w-7">
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
    </div>
  )
}
