/** While `attempt` fails, calls it again after each of these waits. Throws the last error. */
export async function repeat<T>(waitsMs: readonly number[], attempt: () => Promise<T>): Promise<T> {
  const [waitMs, ...more] = waitsMs
  if (waitMs === undefined) return attempt()
  try {
    return await attempt()
  } catch {
    await scheduler.wait(waitMs)
    return repeat(more, attempt)
  }
}
