/** Gmail shows only the start of a longer message. */
export const GMAIL_CLIPS_BYTES = 102 * 1024

const CHECKED_CHARACTERS = 500_000

/** A check reads only the start of a long text, so the largest message costs little, too. */
export const startOf = (text: string) => text.slice(0, CHECKED_CHARACTERS)
