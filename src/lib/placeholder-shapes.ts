const IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,63}"
/** Up to four identifiers, joined by dots. */
export const VARIABLE_NAME = `${IDENTIFIER}(?:\\.${IDENTIFIER}){0,3}`

/** The limit of html, and of text. */
export const MAX_BODY_CHARACTERS = 5_000_000
