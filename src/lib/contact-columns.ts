export type KnownColumn = "email" | "firstName" | "lastName" | "subscribed"

export const KNOWN_COLUMNS = new Map<string, KnownColumn>([
  ["email", "email"],
  ["email_address", "email"],
  ["e-mail", "email"],
  ["first_name", "firstName"],
  ["firstname", "firstName"],
  ["last_name", "lastName"],
  ["lastname", "lastName"],
  ["subscribed", "subscribed"],
])

/** Before the name of a property, and before the id of a topic, in the files that exports write. */
export const PROPERTY_PREFIX = "properties."
export const TOPIC_PREFIX = "topics."
