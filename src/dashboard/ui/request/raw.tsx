import { CopyButton } from "./copy.tsx"
import { Highlight } from "./highlight.tsx"

/** Unchanged text of a machine, to copy. A keyboard can scroll it. */
export const Raw = ({
  text,
  label = "Copy",
  isCode = false,
}: {
  text: string
  label?: string
  isCode?: boolean
}) => (
  <div className="relative min-w-0 bg-sunken">
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
      tabIndex={0}
      className="max-h-[560px] overflow-auto p-4 pr-12 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
    >
      {isCode ? <Highlight code={text} /> : text}
    </pre>
    <div className="absolute top-2 right-2">
      <CopyButton text={text} label={label} />
    </div>
  </div>
)
