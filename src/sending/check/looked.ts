/** A check looks at no more, so that the largest message costs little more than a long one. */
const CHARACTERS = 500_000

/** The part of a text that a check looks at. */
export const looked = (text: string) => text.slice(0, CHARACTERS)
