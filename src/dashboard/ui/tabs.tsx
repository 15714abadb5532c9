import { Tabs as Base } from "@base-ui/react/tabs"
import type { ReactNode } from "react"

export interface TabPart {
  name: string
  children: ReactNode
}

/** Parts of a page, one shown at a time. */
export function Tabs({
  tabs,
  label,
}: {
  tabs: readonly (TabPart | false | null)[]
  label: string
}) {
  const shown = tabs.filter((tab): tab is TabPart => Boolean(tab))
  return (
    <Base.Root defaultValue={shown[0]?.name} className="min-w-0">
      <Base.List aria-label={label} className="mb-4 flex gap-4 overflow-x-auto border-b">
        {shown.map(({ name }) => (
          <Base.Tab
            key={name}
            value={name}
            className="-mb-px border-b-2 border-transparent py-2 whitespace-nowrap text-muted data-active:border-ink data-active:text-ink"
          >
            {name}
          </Base.Tab>
        ))}
      </Base.List>
      {shown.map(({ name, children }) => (
        <Base.Panel key={name} value={name}>
          {children}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
