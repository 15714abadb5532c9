/** What `entities/decode` does, said with the browser's own parser. */
export const decodeHTML = (html: string): string =>
  new DOMParser().parseFromString(html, "text/html").body.textContent
