/** Makes a value once for each key, and keeps it while there are no more than a few keys. */
export function remember<T>(make: (key: string) => T, most = 8): (key: string) => T {
  const made = new Map<string, T>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    if (made.size >= most) made.clear()
    const value = make(key)
    made.set(key, value)
    return value
  }
}
