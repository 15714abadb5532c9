/** Gmail shows only the start of a longer message. */
export const GMAIL_CLIPS_BYTES = 102 * 1024
