import { ChevronLeft, ChevronRight } from "lucide-react"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { Button, IconButton } from "../button.tsx"
import { cx } from "../cx.ts"
import { type Day, daysOfMonth, monthLater, shift, WEEKDAYS } from "./days.ts"
import { LOCALE } from "./locale.ts"

interface Props {
  value: Day | ""
  min?: string | undefined
  max?: string | undefined
  onChange(day: Day | ""): void
}

const month = new Intl.DateTimeFormat(LOCALE, { month: "long", year: "numeric", timeZone: "UTC" })
const whole = new Intl.DateTimeFormat(LOCALE, { dateStyle: "full", timeZone: "UTC" })

const STEPS: Record<string, (day: Day) => Day> = {
  ArrowLeft: (day) => shift(day, -1),
  ArrowRight: (day) => shift(day, 1),
  ArrowUp: (day) => shift(day, -7),
  ArrowDown: (day) => shift(day, 7),
  PageUp: (day) => monthLater(day, -1),
  PageDown: (day) => monthLater(day, 1),
}

/** A month of days. The arrow keys move by a day or a week, Page up and Page down by a month. */
export function Calendar({ value, min = "", max = "", onChange }: Props) {
  const today = new Date().toLocaleDateString("sv")
  const [focused, setFocused] = useState<Day>(value || today)
  const table = useRef<HTMLTableElement>(null)
  const moves = useRef(true)
  useEffect(() => {
    if (moves.current) table.current?.querySelector<HTMLElement>(`[data-day="${focused}"]`)?.focus()
  }, [focused])
  const go = (day: Day, isMoving: boolean) => {
    moves.current = isMoving
    setFocused(day)
  }
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (!step) return
    event.preventDefault()
    go(step(focused), true)
  }
  const isOff = (day: Day) => Boolean((min && day < min) || (max && day > max))
  return (
    <div className="grid gap-2">
      <div className="flex items-center justify-between">
        <IconButton label="Previous month" onClick={() => go(monthLater(focused, -1), false)}>
          <ChevronLeft size={14} aria-hidden />
        </IconButton>
        <span aria-live="polite" className="font-medium">
          {month.format(new Date(focused))}
        </span>
        <IconButton label="Next month" onClick={() => go(monthLater(focused, 1), false)}>
          <ChevronRight size={14} aria-hidden />
        </IconButton>
      </div>
      <table ref={table} onKeyDown={move} className="text-center">
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" className="h-7 w-9 text-xs font-normal text-muted">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {daysOfMonth(focused).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day} className="p-0">
                  <button
                    type="button"
                    data-day={day}
                    aria-label={whole.format(new Date(day))}
                    aria-pressed={day === value}
                    aria-current={day === today ? "date" : undefined}
                    aria-disabled={isOff(day) || undefined}
                    tabIndex={day === focused ? 0 : -1}
                    onClick={() => isOff(day) || onChange(day)}
                    className={cx(
                      "size-9 rounded-md hover:bg-sunken aria-pressed:bg-primary aria-pressed:text-on-primary",
                      "aria-disabled:cursor-not-allowed aria-disabled:opacity-50",
                      day === today && "font-semibold underline underline-offset-4",
                      day.slice(0, 7) !== focused.slice(0, 7) && day !== value && "text-muted",
                    )}
                  >
                    {Number(day.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {value && (
        <Button small kind="quiet" onClick={() => onChange("")}>
          Clear
        </Button>
      )}
    </div>
  )
}
