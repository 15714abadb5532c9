import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { IconButton } from "./button.tsx"
import { cx } from "./cx.ts"

const SHOWN_MS = 1_500

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <IconButton small label={copied ? "Copied" : label} onClick={copy} className="w-7 text-muted">
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </IconButton>
  )
}

/** Text for machines, such as an id. It wraps into lines of one length, and is never cut. */
export function Mono({
  text,
  copy,
  className,
}: {
  text: string
  copy?: boolean
  className?: string
}) {
  return (
    <span className={cx("inline-flex min-w-0 items-center gap-1 [&>button]:-my-1", className)}>
      <code className="min-w-0 font-mono text-xs text-balance break-all max-sm:text-[11px]">
        {text}
      </code>
      {copy && <CopyButton text={text} label={`Copy ${text}`} />}
    </span>
  )
}
