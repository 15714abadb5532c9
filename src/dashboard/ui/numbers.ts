import { LOCALE } from "./time/locale.ts"

const whole = new Intl.NumberFormat(LOCALE)
const share = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 2 })
const plurals = new Intl.PluralRules("en")

export const number = (value: number) => whole.format(value)

/** A share of 1: "2.18%". */
export const percent = (value: number) => share.format(value)

/** "1 contact", "2,000 contacts". */
export const counted = (value: number, noun: string, nouns = `${noun}s`) =>
  `${number(value)} ${plurals.select(value) === "one" ? noun : nouns}`
