import { Command } from "cmdk"
import type { ReactNode } from "react"

interface Props {
  value: string
  onSelect(): void
  /** What Enter takes if nothing better is found. */
  "data-last-resort"?: boolean
  children: ReactNode
}

export const Item = (props: Props) => (
  <Command.Item
    className="flex cursor-default items-center gap-2 rounded-md px-2 py-2 data-[selected=true]:bg-sunken"
    {...props}
  />
)
