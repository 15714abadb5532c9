import { LOCALE } from "../../ui/locale.ts"

const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeZone: "UTC" })
const hour = new Intl.DateTimeFormat(LOCALE, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
})

/** Days are UTC days; hours are in the person's time zone. */
export const stepLabel = (at: string, step: "hour" | "day") =>
  (step === "day" ? day : hour).format(new Date(at))
