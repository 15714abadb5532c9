/** The handle stands for the block as a whole; the text is what is typed in it. */
export type Part = "handle" | "text"

export const handleId = (key: string) => `${key}-handle`

export const handleOf = (key: string) => document.getElementById(handleId(key))

export const textOf = (key: string) =>
  handleOf(key)?.closest("[data-block]")?.querySelector<HTMLElement>("[contenteditable=true]") ??
  null

/** Focuses a block at once, so that no letter is lost, or as soon as nothing is in the way. */
export function focusBlock(key: string, part: Part) {
  queueMicrotask(() => {
    if (!takeFocus(key, part)) requestAnimationFrame(() => takeFocus(key, part))
  })
}

/** A block without text has its handle. */
function takeFocus(key: string, part: Part): boolean {
  const target = (part === "text" && textOf(key)) || handleOf(key)
  target?.focus()
  target?.scrollIntoView({ block: "nearest" })
  return target !== null && document.activeElement === target
}
