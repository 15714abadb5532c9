import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { Button } from "../button.tsx"

/** A secret that is shown only once, with a button that copies it. */
export function Secret({ label, secret }: { label: string; secret: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(secret)
    setCopied(true)
  }
  return (
    <div
      className="grid gap-2"
      data-unsaved={copied ? undefined : "The secret is not shown again. Close without copying it?"}
      onCopy={() => setCopied(true)}
    >
      <p className="font-medium">{label}</p>
      <div className="flex flex-wrap items-center justify-between gap-2 rounded-md border bg-sunken p-2 pl-3">
        <code className="min-w-0 font-mono text-xs break-all">{secret}</code>
        <Button kind="primary" small onClick={copy}>
          {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
      <p className="text-muted">Copy it now: it is not shown again.</p>
    </div>
  )
}
