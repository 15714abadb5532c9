import { Dialog as Base } from "@base-ui/react/dialog"
import { X } from "lucide-react"
import { type ReactNode, useState } from "react"
import { Button, type ButtonKind, buttonClass } from "./button.tsx"
import { cx } from "./cx.ts"
import { ErrorBox } from "./error-box.tsx"
import { Field, TextInput } from "./field.tsx"

interface Props {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  description?: ReactNode
  wide?: boolean
  children: ReactNode
}

/** Esc closes it, and focus goes back to where it was. */
export function Dialog({ open, onOpenChange, title, description, wide, children }: Props) {
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

interface ConfirmProps extends Omit<Props, "children"> {
  /** The verb on the button: "Delete domain". */
  action: string
  /** What has to be typed first, where the action cannot be undone. */
  typed?: string
  kind?: ButtonKind
  onConfirm(): Promise<unknown>
  children?: ReactNode
}

/** Asks before what cannot be undone. A failure is shown in the dialog, which stays open. */
export function Confirm({
  action,
  typed,
  kind = "danger",
  onConfirm,
  children,
  ...dialog
}: ConfirmProps) {
  const [text, setText] = useState("")
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const close = (open: boolean) => {
    setText("")
    setError(null)
    dialog.onOpenChange(open)
  }
  const confirm = async () => {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      close(false)
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog {...dialog} onOpenChange={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        {children}
        {typed !== undefined && (
          <Field
            label={
              <span className="font-normal">
                Type <strong className="font-mono break-all">{typed}</strong> to confirm
              </span>
            }
          >
            {(control) => (
              <TextInput
                {...control}
                value={text}
                onChange={(event) => setText(event.target.value)}
                autoComplete="off"
                autoFocus
              />
            )}
          </Field>
        )}
        {error !== null && <ErrorBox error={error} />}
        <div className="flex justify-end gap-2">
          <Button kind="plain" onClick={() => close(false)}>
            Cancel
          </Button>
          <Button
            kind={kind}
            type="submit"
            busy={busy}
            disabledBecause={typed !== undefined && text !== typed && `Type ${typed} first`}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
