/** Asks all who would hold the browser back from leaving the page. */
export const hasUnsavedWork = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }))

const ONE_STEP_MS = 1_000
let agreedAt = Number.NEGATIVE_INFINITY

/** Asks once for what belongs together, such as closing a dialog and leaving its URL. */
export function mayLeave(question = "Leave without saving your changes?"): boolean {
  if (performance.now() - agreedAt < ONE_STEP_MS) return true
  const agreed = confirm(question)
  if (agreed) agreedAt = performance.now()
  return agreed
}

/** Whether an element may be closed: asks if something in it would be lost, in its own words. */
export function mayClose(element: Element | null): boolean {
  const unsaved = element?.querySelector<HTMLElement>("[data-unsaved]")
  return !unsaved || mayLeave(unsaved.dataset.unsaved || undefined)
}
