import { CalendarDays } from "lucide-react"
import { Suspense, useEffect, useState } from "react"
import { lazy } from "../app/lazy.ts"
import { BOX } from "./box.ts"
import { cx } from "./cx.ts"
import { TextInput } from "./field.tsx"
import { LOCALE } from "./locale.ts"

const DatePopup = lazy(() => import("./date-popup.tsx"))

interface Props {
  /** "2026-11-23", or "" without a day. */
  value: string
  min?: string | undefined
  max?: string | undefined
  onChange(value: string): void
  placeholder?: string
  className?: string
  id?: string
  "aria-label"?: string
  "aria-invalid"?: boolean
  "aria-describedby"?: string | undefined
}

const shown = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeZone: "UTC" })

/** A day. The code of the calendar is loaded when it is first opened. */
export function DateInput(props: Props) {
  const { value, min, max, onChange, placeholder = "Any day", className, ...named } = props
  const [wanted, setWanted] = useState(false)
  const text = value ? shown.format(new Date(value)) : placeholder
  const label = named["aria-label"]
  const trigger = (
    <button
      {...named}
      {...(label && { "aria-label": `${label}: ${text}` })}
      type="button"
      data-value={value}
      className={cx(BOX, "flex h-8 items-center justify-between gap-2 text-left", className)}
    >
      <span className={cx("truncate", !value && "text-muted")}>{text}</span>
      <CalendarDays
        size={14}
        aria-hidden
        className={cx("shrink-0 text-muted", value && "max-sm:hidden")}
      />
    </button>
  )
  const closed = (
    <button
      {...trigger.props}
      aria-haspopup="dialog"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    />
  )
  if (!wanted) return closed
  return (
    <Suspense fallback={closed}>
      <DatePopup {...{ trigger, value, min, max, onChange }} />
    </Suspense>
  )
}

const MORNING = "09:00"
const TIME = "([01]?\\d|2[0-3]):?([0-5]\\d)"
/** More digits could follow "143". */
const WHOLE_TIME = /:|^\s*\d{4}\s*$/

/** "930", "9:30" and "0930" are "09:30". Undefined for a text that is no time. */
function readTime(text: string): string | undefined {
  const [, hours, minutes] = new RegExp(`^${TIME}$`).exec(text.trim()) ?? []
  return hours && `${hours.padStart(2, "0")}:${minutes}`
}

/** A day and a time of the person's own zone: "2026-11-23T09:00", or "" without a day. */
export function DateTimeInput({ value, min, max, onChange, className, ...control }: Props) {
  const [day = "", time = MORNING] = value.split("T")
  const [text, setText] = useState(time)
  useEffect(() => setText(time), [time])
  const keepTime = (typed: string) => {
    const read = readTime(typed)
    if (read && day) onChange(`${day}T${read}`)
    return read
  }
  return (
    <span className={cx("flex gap-2", className)}>
      <DateInput
        {...control}
        value={day}
        min={min?.slice(0, 10)}
        max={max?.slice(0, 10)}
        onChange={(day) => onChange(day && `${day}T${time}`)}
      />
      <TextInput
        aria-label="Time"
        aria-invalid={!readTime(text)}
        pattern={TIME}
        className="w-20! shrink-0"
        inputMode="numeric"
        placeholder={MORNING}
        disabled={!day}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          if (WHOLE_TIME.test(target.value)) keepTime(target.value)
        }}
        onKeyDown={({ key }) => key === "Enter" && keepTime(text)}
        onBlur={() => setText(keepTime(text) ?? time)}
      />
    </span>
  )
}
