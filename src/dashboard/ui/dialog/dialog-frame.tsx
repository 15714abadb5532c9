import { Dialog as Base } from "@base-ui/react/dialog"
import { X } from "lucide-react"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { buttonClass } from "../button.tsx"
import { cx } from "../cx.ts"
import { pressSubmit } from "../form/press-submit.ts"
import type { DialogProps } from "./dialog.tsx"
import { mayClose } from "./unsaved.ts"

/** The first field, or else the first button after the cross. While it loads, the dialog itself. */
const firstControl = (popup: HTMLElement | null) =>
  popup?.querySelector<HTMLElement>("input:not([aria-hidden]), textarea, [role=combobox]") ??
  popup?.querySelector<HTMLElement>("form button, button:not([aria-label=Close])") ??
  popup ??
  true

/** Ctrl/Cmd+Enter submits the form with the focus, or else the dialog's last one. */
function submitForm(event: KeyboardEvent<HTMLElement>) {
  if (event.defaultPrevented || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
  const popup = event.currentTarget
  // React also passes on the keys of a dialog inside this one.
  const focused = event.target as Element
  if (!popup.contains(focused)) return
  event.preventDefault()
  pressSubmit(focused.closest("form") ?? [...popup.querySelectorAll("form")].at(-1) ?? null)
}

/** The focus goes back also when a page takes the dialog away at once. */
function useFocusBack() {
  const [before] = useState(opener)
  useEffect(
    () => () => {
      if (document.activeElement === document.body) before?.focus()
    },
    [before],
  )
}

/** What has the focus. An item of a menu is about to go, so its button takes the item's place. */
function opener(): HTMLElement | null {
  const focused = document.activeElement as HTMLElement | null
  return focused?.closest("[role=menu]")
    ? document.querySelector<HTMLElement>("[aria-haspopup=menu][aria-expanded=true]")
    : focused
}

/** Esc closes it, and focus goes back to where it was. */
export default function DialogFrame({
  open,
  onOpenChange,
  title,
  description,
  wide,
  sheet,
  children,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  useFocusBack()
  const asks = useRef(false)
  const change = async (open: boolean) => {
    // A press in the question is outside of this dialog.
    if (asks.current) return
    asks.current = true
    const may = open || (await mayClose(popup.current))
    asks.current = false
    if (may) onOpenChange(open)
  }
  return (
    <Base.Root open={open} onOpenChange={change}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          ref={popup}
          initialFocus={() => firstControl(popup.current)}
          onKeyDown={submitForm}
          className={cx(
            "fixed left-1/2 z-40 -translate-x-1/2 overflow-y-auto bg-raised shadow-float outline-none",
            sheet
              ? "bottom-0 max-h-[60dvh] w-full rounded-t-lg p-4"
              : "top-[8vh] max-h-[84vh] w-[calc(100vw-32px)] rounded-lg p-6",
            wide ? "max-w-3xl" : "max-w-lg",
          )}
        >
          <div className="mb-4 flex items-start justify-between gap-4">
            <div>
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {description && (
                <Base.Description className="mt-1 text-muted" render={<div />}>
                  {description}
                </Base.Description>
              )}
            </div>
            <Base.Close
              aria-label="Close"
              className={cx(buttonClass("quiet"), "-mt-1 -mr-2 w-8 px-0!")}
            >
              <X size={16} aria-hidden />
            </Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
