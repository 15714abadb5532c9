import { type ComponentProps, useState } from "react"
import { Button } from "./button.tsx"
import { sayError } from "./toast.tsx"

interface Props extends Omit<ComponentProps<typeof Button>, "busy" | "onClick"> {
  run(): Promise<unknown>
  /** The label meanwhile. */
  busyLabel?: string
}

/** A button whose action takes a while. A failure is shown as a toast. */
export function TaskButton({ run, busyLabel, children, ...props }: Props) {
  const [busy, setBusy] = useState(false)
  const start = async () => {
    setBusy(true)
    await run().catch(sayError)
    setBusy(false)
  }
  return (
    <Button {...props} busy={busy} onClick={start}>
      {busy && busyLabel ? busyLabel : children}
    </Button>
  )
}
