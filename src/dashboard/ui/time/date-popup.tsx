import { Popover } from "@base-ui/react/popover"
import { type ReactElement, useState } from "react"
import { Calendar } from "./calendar.tsx"

interface Props {
  trigger: ReactElement
  value: string
  min?: string | undefined
  max?: string | undefined
  onChange(day: string): void
}

/** Opens at once: its trigger was pressed while this was loading. */
export default function DatePopup({ trigger, onChange, ...calendar }: Props) {
  const [open, setOpen] = useState(true)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-50">
          <Popover.Popup
            aria-label="Choose a day"
            className="rounded-lg bg-raised p-3 shadow-float outline-none"
          >
            <Calendar
              {...calendar}
              onChange={(day) => {
                setOpen(false)
                onChange(day)
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
