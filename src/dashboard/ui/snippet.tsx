import { Tabs } from "@base-ui/react/tabs"
import { CopyButton } from "./copy.tsx"

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
        <Tabs.Panel key={name} value={name} className="relative">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
          <pre tabIndex={0} className="max-h-96 overflow-auto p-3 pr-12 font-mono text-xs">
            {code}
          </pre>
          <div className="absolute top-2 right-2">
            <CopyButton text={code} label={`Copy ${name}`} />
          </div>
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  )
}
