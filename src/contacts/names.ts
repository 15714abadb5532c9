interface Names {
  firstName: string | null
  lastName: string | null
}

/** Text in the form that search compares. SQLite's own `lower` changes ASCII only. */
export const searchKey = (text: string) => text.normalize("NFC").toLowerCase()

export const nameKey = (name: string | null) => name && searchKey(name)

/** The columns that search looks at, apart from the address. */
export const nameKeys = ({ firstName, lastName }: Names) => ({
  firstKey: nameKey(firstName),
  lastKey: nameKey(lastName),
})
