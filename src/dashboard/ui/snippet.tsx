import { Tabs } from "@base-ui/react/tabs"
import { Raw } from "./raw.tsx"

export interface Code {
  /** The tab's name: "curl", "Library". */
  name: string
  code: string
}

/** Code to copy, in one or several languages. */
export function Snippet({ codes }: { codes: readonly Code[] }) {
  const [first] = codes
  if (!first) return null
  return (
    <Tabs.Root
      defaultValue={first.name}
      className="min-w-0 overflow-hidden rounded-lg border bg-sunken"
    >
      <Tabs.List className="flex gap-1 border-b px-2" aria-label="Language">
        {codes.map(({ name }) => (
          <Tabs.Tab
            key={name}
            value={name}
            className="-mb-px border-b-2 border-transparent px-2 py-1.5 text-xs text-muted data-active:border-ink data-active:text-ink"
          >
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {codes.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name}>
          <Raw text={code} label={`Copy ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  )
}
