import { Raw } from "./raw.tsx"
import type { Code } from "./request-codes.ts"
import { Tabs } from "./tabs.tsx"

/** Code to copy, in one or several languages. */
export const Snippet = ({ codes }: { codes: readonly Code[] }) => (
  <Tabs
    boxed
    label="Language"
    tabs={codes.map(({ name, code }) => ({
      name,
      children: <Raw isCode text={code} label={`Copy ${name}`} />,
    }))}
  />
)
