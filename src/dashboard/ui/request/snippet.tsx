import { Tabs } from "../tabs.tsx"
import { Raw } from "./raw.tsx"
import type { Code } from "./request-codes.ts"

/** Code to copy, in one or several languages. */
export const Snippet = ({ codes, remember }: { codes: readonly Code[]; remember?: string }) => (
  <Tabs
    boxed
    label="Language"
    {...(remember && { remember })}
    tabs={codes.map(({ name, code }) => ({
      name,
      children: <Raw isCode text={code} label={`Copy ${name}`} />,
    }))}
  />
)
