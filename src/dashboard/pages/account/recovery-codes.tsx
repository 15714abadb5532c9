import { useState } from "react"
import { Button } from "../../ui/button.tsx"
import { download } from "../../ui/export/download.ts"

/** Shown once, right after they were made. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): unknown }) {
  const [kept, setKept] = useState(false)
  const [copied, setCopied] = useState(false)
  const text = `${codes.join("\n")}\n`
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setKept(true)
  }
  const save = () => {
    download("edgepost-recovery-codes.txt", text, "text/plain")
    setKept(true)
  }
  return (
    <div
      className="grid gap-4"
      data-unsaved={
        kept ? undefined : "The recovery codes are not shown again. Close without saving them?"
      }
      onCopy={() => setKept(true)}
    >
      <p>
        Keep these recovery codes in a safe place. If you lose your phone, sign in with one. Each
        works once. They are not shown again.
      </p>
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-md border bg-sunken p-4 font-mono text-sm"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button onClick={copy}>{copied ? "Copied" : "Copy codes"}</Button>
        <Button onClick={save}>Download codes</Button>
        <Button
          kind="primary"
          onClick={onDone}
          disabledBecause={!kept && "Copy or download the codes first"}
        >
          Done
        </Button>
      </div>
    </div>
  )
}
