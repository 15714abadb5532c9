import { type ReactNode, Suspense, useState } from "react"
import { lazy } from "../../app/lazy.ts"
import { Button, type ButtonKind } from "../button.tsx"
import { ErrorBox } from "../form/error-box.tsx"
import { TextField } from "../form/field.tsx"
import { useTask } from "../use-task.ts"

export interface DialogProps {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  description?: ReactNode
  wide?: boolean
  /** Comes from below, so that the page above it stays in sight. */
  sheet?: boolean
  children: ReactNode
}

const DialogFrame = lazy(() => import("./dialog-frame.tsx"))

/** Its code is loaded when it is first opened. */
export function Dialog(props: DialogProps) {
  const [wanted, setWanted] = useState(props.open)
  if (props.open && !wanted) setWanted(true)
  if (!wanted) return null
  return (
    <Suspense>
      <DialogFrame {...props} />
    </Suspense>
  )
}

interface ConfirmProps extends Omit<DialogProps, "children"> {
  /** The verb on the button: "Delete domain". */
  action: string
  /** The label of the button that changes nothing, if "Cancel" could mean the action. */
  keep?: string
  /** The text to type before an action that cannot be undone. */
  typed?: string
  kind?: ButtonKind
  onConfirm(): Promise<unknown>
  children?: ReactNode
}

/**
 * Asks before an action that cannot be undone. If it fails, the dialog stays open and shows the
 * error.
 */
export function Confirm({
  action,
  keep = "Cancel",
  typed,
  kind = "danger",
  onConfirm,
  children,
  ...dialog
}: ConfirmProps) {
  const [text, setText] = useState("")
  const { busy, error, setError, run } = useTask(async () => {
    await onConfirm()
    close(false)
  })
  const close = (open: boolean) => {
    setText("")
    setError(null)
    dialog.onOpenChange(open)
  }
  return (
    <Dialog {...dialog} onOpenChange={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
      >
        {children}
        {typed !== undefined && (
          <TextField
            label={
              <span className="font-normal">
                Type <strong className="font-mono break-all">{typed}</strong> to confirm
              </span>
            }
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            autoFocus
          />
        )}
        {error !== null && <ErrorBox error={error} />}
        <div className="flex justify-end gap-2">
          <Button kind="plain" onClick={() => close(false)}>
            {keep}
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
