import type { ComponentProps } from "react"
import { Button } from "./button.tsx"
import { sayError } from "./toast.tsx"
import { useTask } from "./use-task.ts"

interface Props extends Omit<ComponentProps<typeof Button>, "busy" | "onClick"> {
  run(): Promise<unknown>
  /** The label meanwhile. */
  busyLabel?: string
}

/** A button whose action takes a while. A failure is shown as a toast. */
export function TaskButton({ run, busyLabel, children, ...props }: Props) {
  const task = useTask(() => run().catch(sayError))
  return (
    <Button {...props} busy={task.busy} onClick={task.run}>
      {task.busy && busyLabel ? busyLabel : children}
    </Button>
  )
}
