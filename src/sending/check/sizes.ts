/** Gmail shows only the start of a longer message. */
export const GMAIL_CLIPS_BYTES = 102 * 1024

const CHECKED_CHARACTERS = 500_000

/** The part of a text that a check reads: the largest message costs little more than a long one. */
export const startOf = (text: string) => text.slice(0, CHECKED_CHARACTERS)
