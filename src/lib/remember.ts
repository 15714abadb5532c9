/** Makes a value once for each key. With more than `most` keys, it forgets all values. */
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

/** Makes a value once for each object, as long as the object is in use. */
export function rememberFor<Key extends object, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new WeakMap<Key, { value: T }>()
  return (key) => {
    const known = made.get(key)
    if (known) return known.value
    const value = make(key)
    made.set(key, { value })
    return value
  }
}
