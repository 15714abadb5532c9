import { LOCALE } from "../../ui/time/locale.ts"

const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium" })
const hour = new Intl.DateTimeFormat(LOCALE, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
})

const HALF_A_DAY_MS = 43_200_000

/** In the person's time zone, where a day may begin an hour before midnight or after it. */
export const stepLabel = (at: string, step: "hour" | "day") =>
  step === "day" ? day.format(Date.parse(at) + HALF_A_DAY_MS) : hour.format(Date.parse(at))
