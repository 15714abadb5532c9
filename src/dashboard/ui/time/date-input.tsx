import { CalendarDays } from "lucide-react"
import { Suspense, useState } from "react"
import { lazy } from "../../app/lazy.ts"
import { BOX } from "../box.ts"
import { cx } from "../cx.ts"
import { TextInput } from "../form/field.tsx"
import { LOCALE } from "./locale.ts"
import { readTime } from "./read-time.ts"

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
const NO_TIME = "Enter a time, such as 17:00 or 5 pm"

/** A day and a time of the person's own zone: "2026-11-23T09:00", or "" without a day. */
export function DateTimeInput({ value, min, max, onChange, className, ...control }: Props) {
  const [day = "", time = MORNING] = value.split("T")
  /** The text while it is typed, and after that if it is no time. */
  const [typed, setTyped] = useState<string>()
  const [isLeft, setLeft] = useState(true)
  const text = typed ?? time
  const isWrong = day !== "" && !readTime(text)
  return (
    <span className={cx("grid gap-1", className)}>
      <span className="flex gap-2">
        <DateInput
          {...control}
          value={day}
          min={min?.slice(0, 10)}
          max={max?.slice(0, 10)}
          onChange={(day) => onChange(day && `${day}T${time}`)}
        />
        <TextInput
          ref={(input) => input?.setCustomValidity(isWrong ? NO_TIME : "")}
          aria-label="Time"
          aria-invalid={isWrong}
          className="w-20! shrink-0"
          inputMode="numeric"
          placeholder={MORNING}
          disabled={!day}
          value={text}
          onFocus={() => setLeft(false)}
          onChange={({ target }) => {
            setTyped(target.value)
            const read = readTime(target.value)
            if (read) onChange(`${day}T${read}`)
          }}
          onBlur={() => {
            setLeft(true)
            if (!isWrong) setTyped(undefined)
          }}
        />
      </span>
      {isWrong && isLeft && (
        <span role="alert" className="text-xs text-failed">
          {NO_TIME}
        </span>
      )}
    </span>
  )
}
