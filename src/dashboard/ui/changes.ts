import type { FieldValues, UseFormReturn } from "react-hook-form"

/** The members that differ. */
export const differences = <T extends object>(before: T, after: T) =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof T]),
    ),
  ) as Partial<T>

/**
 * The members of a PATCH: what the person has changed since the form began. What others have changed
 * meanwhile is not put back. `toBody` makes what the API gets of the values.
 */
export function changesIn<T extends FieldValues, B extends object = T>(
  form: UseFormReturn<T>,
  values: T,
  toBody: (values: T) => B = (values) => values as never,
): Partial<B> {
  return differences(toBody(form.formState.defaultValues as T), toBody(values))
}

/** The body that "As a request" shows: all members where none has changed, since the API refuses none. */
export const requestBody = <B extends object>(changes: B, whole: B): B =>
  Object.keys(changes).length > 0 ? changes : whole

/** An object as it is `now`, with what the person has changed in it since it was `before`. */
export function withChanges<T extends object>(now: T, before: T, after: T): T {
  const kept = Object.entries(now).filter(([name]) => name in after || !(name in before))
  return { ...(Object.fromEntries(kept) as T), ...differences(before, after) }
}

/** Saves changes, if there are any: the API refuses none. */
export const saveChanges = async <B extends object, R>(
  record: R,
  changes: B,
  save: (changes: B) => Promise<R>,
): Promise<R> => (Object.keys(changes).length > 0 ? save(changes) : record)
