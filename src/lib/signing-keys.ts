const MIN_CHARACTERS = 32

/**
 * The keys of the setting `SIGNING_KEY`. The first one signs; the others still verify. If a part
 * would be too short, the whole setting is one key that contains a comma.
 */
export function signingKeys(setting: string): [string, ...string[]] {
  const keys = setting.split(",")
  const isList = keys.every((key) => key.length >= MIN_CHARACTERS)
  return isList ? (keys as [string, ...string[]]) : [setting]
}
