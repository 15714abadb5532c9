interface Names {
  firstName: string | null
  lastName: string | null
}

/** Text as search compares it: SQLite's own `lower` knows ASCII only. */
export const searchKey = (text: string) => text.normalize("NFC").toLowerCase()

/** What a contact is found by: its name as a whole, and its last name where that is not the whole. */
export function nameKeys({ firstName, lastName }: Names) {
  const whole = [firstName, lastName].filter(Boolean).join(" ")
  return {
    nameKey: whole ? searchKey(whole) : null,
    lastNameKey: firstName && lastName ? searchKey(lastName) : null,
  }
}
