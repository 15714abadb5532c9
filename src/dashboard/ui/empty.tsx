import type { ReactNode } from "react"

/** The text of an empty list: what to do first. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="grid gap-3 rounded-lg border border-dashed p-6">
      <p className="font-medium">{title}</p>
      {children && <div className="grid max-w-prose gap-3 text-muted">{children}</div>}
    </div>
  )
}
