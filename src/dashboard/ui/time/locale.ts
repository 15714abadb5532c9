/** English words, as on all pages, with dates and numbers as in the person's region. */
export function localeOf(own: string): string {
  const { language, region } = new Intl.Locale(own).maximize()
  return language === "en" ? own : `en-${region}`
}

export const LOCALE = localeOf(new Intl.NumberFormat().resolvedOptions().locale)
