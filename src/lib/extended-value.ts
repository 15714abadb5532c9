/** The text of a parameter with an asterisk, such as `filename*=UTF-8''…` (RFC 8187). */
export const extendedValue = (text: string): string =>
  encodeURIComponent(text).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
