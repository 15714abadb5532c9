export const TABLE = '<table role="presentation" cellpadding="0" cellspacing="0"'

/** Keeps its width, whatever its content is. */
export const FIXED_TABLE = `${TABLE} style="table-layout:fixed"`

/** For Outlook only, which renders like Word. */
export const mso = (html: string) => `<!--[if mso]>${html}<![endif]-->`
