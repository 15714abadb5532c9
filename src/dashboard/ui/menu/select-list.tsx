import { CSPProvider } from "@base-ui/react/csp-provider"
import { Select as Base } from "@base-ui/react/select"
import { Check } from "lucide-react"
import type { ReactElement } from "react"

interface Props {
  trigger: ReactElement
  value: string
  options: readonly { value: string; label: string }[]
  onChange(value: string): void
}

/** Opens at once: its trigger was pressed while this was loading. */
export default function SelectList({ trigger, value, options, onChange }: Props) {
  return (
    <CSPProvider disableStyleElements>
      <Base.Root
        defaultOpen
        modal={false}
        items={options}
        value={value}
        onValueChange={(next) => next !== null && onChange(next)}
      >
        <Base.Trigger render={trigger} />
        <Base.Portal>
          <Base.Positioner alignItemWithTrigger={false} sideOffset={4} className="z-50">
            <Base.Popup className="max-h-[min(360px,var(--available-height))] max-w-(--available-width) min-w-(--anchor-width) overflow-y-auto rounded-lg bg-raised p-1 shadow-float outline-none">
              {options.map(({ value, label }) => (
                <Base.Item
                  key={value}
                  value={value}
                  className="flex cursor-default items-center justify-between gap-3 rounded-md px-2 py-1.5 select-none data-highlighted:bg-sunken"
                >
                  <Base.ItemText className="wrap-anywhere">{label}</Base.ItemText>
                  <Base.ItemIndicator className="shrink-0">
                    <Check size={14} aria-hidden />
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </CSPProvider>
  )
}
