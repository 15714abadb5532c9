import { Check, Copy } from "lucide-react"
import { type ReactNode, useState } from "react"
import { Button, IconButton } from "../button.tsx"
import { cx } from "../cx.ts"

const SHOWN_MS = 1_500

interface CopyProps {
  text: string
  label?: string
  small?: boolean
  /** The words beside the icon, in a button as others. */
  children?: ReactNode
}

export function CopyButton({ text, label = "Copy", small = true, children }: CopyProps) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  const icon = copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />
  if (children) {
    return (
      <Button small={small} aria-label={copied ? "Copied" : label} onClick={copy}>
        {icon} {children}
      </Button>
    )
  }
  return (
    <IconButton small label={copied ? "Copied" : label} onClick={copy} className="w-7 text-muted">
      {icon}
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
    <span
      className={cx(
        "inline-flex min-w-0 items-center gap-1 max-sm:gap-0 [&>button]:-my-1 max-sm:[&>button]:-mr-1.5",
        className,
      )}
    >
      <code className="min-w-0 font-mono text-xs text-balance break-all max-sm:text-[11px] max-sm:tracking-tighter">
        {text}
      </code>
      {copy && <CopyButton text={text} label={`Copy ${text}`} />}
    </span>
  )
}
