import { Command } from "cmdk"
import type { ReactNode } from "react"

export const Item = (props: { value: string; onSelect(): void; children: ReactNode }) => (
  <Command.Item
    className="flex cursor-default items-center gap-2 rounded-md px-2 py-2 data-[selected=true]:bg-sunken"
    {...props}
  />
)
