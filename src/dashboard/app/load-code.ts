import { store } from "../store.ts"
import { hasUnsavedWork } from "../ui/dialog/unsaved.ts"

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000
/** Some browsers remember that a module failed, until the page is loaded again. */
const TRIES_BEFORE_RELOAD = 3

const waiting = store(0)

/** Whether a part of the dashboard could not be loaded, and is tried again. */
export const useIsCodeMissing = () => waiting.use() > 0

/** Browsers have different words for it. */
const isMissing = (error: unknown) => /import(ed|ing) (a )?module|preload CSS/i.test(String(error))

/** Loads a part of the dashboard, and tries again until the server has it. */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  waiting.set(waiting.get() + 1)
  try {
    return await loadAgain(load)
  } finally {
    waiting.set(waiting.get() - 1)
  }
}

async function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    try {
      return await load()
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    if (tries >= TRIES_BEFORE_RELOAD && !hasUnsavedWork() && (await isServerBack())) {
      location.reload()
    }
  }
}

/** A page that is loaded again while the server is away would be the browser's error page. */
const isServerBack = () =>
  fetch(location.href, { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  )
