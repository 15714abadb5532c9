export const TABLE = '<table role="presentation" cellpadding="0" cellspacing="0"'

/** As wide as it says, whatever is in it. */
export const FIXED_TABLE = `${TABLE} style="table-layout:fixed"`

/** What only Outlook reads, which draws like Word. */
export const mso = (html: string) => `<!--[if mso]>${html}<![endif]-->`
