import { X } from "lucide-react"
import { characterKeys, useShortcuts } from "../app/keyboard.ts"
import { store } from "../store.ts"
import { Button, hint, IconButton } from "./button.tsx"
import { messageOf } from "./form/error-box.tsx"

interface Toast {
  id: number
  text: string
  isError?: boolean
  undo?: Undo
}

interface Undo {
  run(): Promise<unknown>
  label: string
  done: string
}

const SHOWN_MS = 5_000
const UNDO_MS = 10_000
const AGAIN_MS = 1_000

const toasts = store<readonly Toast[]>([])
let lastId = 0

const add = (toast: Toast) => toasts.set([...toasts.get(), toast])
const dismiss = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id))

/** Says that something was done, with a button to undo it if that is possible. */
export function say(
  text: string,
  run?: Undo["run"],
  words: Omit<Undo, "run"> = { label: "Undo", done: "Undone" },
) {
  const id = ++lastId
  const undo = run && { run, ...words }
  add({ id, text, ...(undo && { undo }) })
  dismissAfter(id, undo ? UNDO_MS : SHOWN_MS)
}

/** A message stays while somebody points at one, or has the focus in one. */
function dismissAfter(id: number, ms: number) {
  setTimeout(() => {
    if (document.querySelector("[data-toasts]:is(:hover, :focus-within)"))
      dismissAfter(id, AGAIN_MS)
    else dismiss(id)
  }, ms)
}

function undoLast() {
  const last = toasts.get().findLast(({ undo }) => undo)
  if (last) undoIt(last)
}

function undoIt({ id, undo }: Toast) {
  dismiss(id)
  undo?.run().then(() => say(undo.done), sayError)
}

/** For a failure that has no place on the page. It stays until it is dismissed. */
export const sayError = (error: unknown) =>
  add({ id: ++lastId, text: messageOf(error), isError: true })

const SHORTCUTS = [{ keys: "z", label: "Undo the last action", run: undoLast }]

export function Toasts() {
  const shown = toasts.use()
  const areOn = characterKeys.use()
  useShortcuts(SHORTCUTS)
  return (
    <div
      role="status"
      data-toasts
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
              onClick={() => undoIt({ id, text, undo })}
              {...(areOn && hint("Or press z"))}
            >
              {undo.label}
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
