/** A path with escaped parts. A part that would change the path, such as `..`, becomes `-`: no record has this id. */
export const path = (fixed: TemplateStringsArray, ...parts: string[]): string =>
  String.raw(
    { raw: fixed },
    ...parts.map((part) => {
      const text = String(part).toWellFormed()
      return /^\.{0,2}$/.test(text) ? "-" : encodeURIComponent(text)
    }),
  )
