import { store } from "../../store.ts"

/** Asks all who would hold the browser back from leaving the page. */
export const hasUnsavedWork = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }))

interface Question {
  text: string
  answer(leave: boolean): void
}

/** What `LeaveDialog` asks. */
export const question = store<Question | null>(null)

const ONE_STEP_MS = 1_000
let agreedAt = Number.NEGATIVE_INFINITY

/** Asks once for what belongs together, such as closing a dialog and leaving its URL. */
export async function mayLeave(text = "Leave without saving your changes?"): Promise<boolean> {
  if (performance.now() - agreedAt < ONE_STEP_MS) return true
  question.get()?.answer(false)
  const agreed = await new Promise<boolean>((answer) => question.set({ text, answer }))
  question.set(null)
  if (agreed) agreedAt = performance.now()
  return agreed
}

/** Whether an element may be closed: asks if something in it would be lost, in its own words. */
export async function mayClose(element: Element | null): Promise<boolean> {
  const unsaved = element?.querySelector<HTMLElement>("[data-unsaved]")
  return !unsaved || mayLeave(unsaved.dataset.unsaved || undefined)
}
