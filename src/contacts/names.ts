interface Names {
  firstName: string | null
  lastName: string | null
}

/** Text as search compares it: SQLite's own `lower` knows ASCII only. */
export const searchKey = (text: string) => text.normalize("NFC").toLowerCase()

export const nameKey = (name: string | null) => name && searchKey(name)

/** What a contact is found by, beside its address. */
export const nameKeys = ({ firstName, lastName }: Names) => ({
  firstKey: nameKey(firstName),
  lastKey: nameKey(lastName),
})
