import { expect, it } from "vitest"
import { localeOf } from "../../src/dashboard/ui/time/locale.ts"

it.each([
  ["en-GB", "en-GB"],
  ["en", "en"],
  ["de", "en-DE"],
  ["de-AT", "en-AT"],
  ["ja-JP", "en-JP"],
])("shows somebody with %s the dates and numbers of %s", (own, locale) => {
  expect(localeOf(own)).toBe(locale)
})

it("says times in English words, with the numbers of the region", () => {
  const locale = localeOf("de-DE")
  expect(new Intl.RelativeTimeFormat(locale).format(-1234, "hour")).toBe("1.234 hours ago")
})
