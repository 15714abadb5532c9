const MIN_CHARACTERS = 32

/**
 * The keys of the setting `SIGNING_KEY`: the first signs, the others still verify. A comma within a
 * single key separates nothing.
 */
export function signingKeys(setting: string): [string, ...string[]] {
  const keys = setting.split(",")
  const isList = keys.every((key) => key.length >= MIN_CHARACTERS)
  return isList ? (keys as [string, ...string[]]) : [setting]
}
