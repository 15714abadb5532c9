import { Raw } from "./raw.tsx"
import { Tabs } from "./tabs.tsx"

export interface Code {
  /** The tab's name: "curl", "Library". */
  name: string
  code: string
}

/** Code to copy, in one or several languages. */
export const Snippet = ({ codes }: { codes: readonly Code[] }) => (
  <Tabs
    boxed
    label="Language"
    tabs={codes.map(({ name, code }) => ({
      name,
      children: <Raw text={code} label={`Copy ${name}`} />,
    }))}
  />
)
