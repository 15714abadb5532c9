import { CircleCheck } from "lucide-react"
import type { ReactNode } from "react"

/** One of the numbered steps. A step that waits for an earlier one shows only its title. */
export function Step({
  number,
  title,
  done,
  waits,
  children,
}: {
  number: number
  title: string
  done?: boolean
  waits?: boolean
  children: ReactNode
}) {
  return (
    <li className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-3 gap-y-3">
      {done ? (
        <CircleCheck size={20} aria-label="Done" className="text-delivered" />
      ) : (
        <span
          aria-hidden
          className="grid size-[20px] place-content-center rounded-full border text-xs text-muted"
        >
          {number}
        </span>
      )}
      <h2 className={`text-base font-semibold ${waits ? "text-muted" : ""}`}>{title}</h2>
      {!waits && <div className="col-start-2 grid gap-3">{children}</div>}
    </li>
  )
}
