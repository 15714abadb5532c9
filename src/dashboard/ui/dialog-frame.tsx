import { Dialog as Base } from "@base-ui/react/dialog"
import { X } from "lucide-react"
import { buttonClass } from "./button.tsx"
import { cx } from "./cx.ts"
import type { DialogProps } from "./dialog.tsx"

/** Esc closes it, and focus goes back to where it was. */
export default function DialogFrame({
  open,
  onOpenChange,
  title,
  description,
  wide,
  children,
}: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          className={cx(
            "fixed top-[8vh] left-1/2 z-40 max-h-[84vh] w-[calc(100vw-32px)] -translate-x-1/2 overflow-y-auto rounded-lg bg-raised p-6 shadow-float",
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
