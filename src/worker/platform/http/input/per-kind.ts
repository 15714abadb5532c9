import type * as z from "zod"

type Schema = z.core.$ZodType

/** What `of` says of each shape of a union, by the value of the member that tells the shapes apart. */
export function perKind<T>(
  { options, discriminator }: { options: readonly Schema[]; discriminator: string },
  of: (option: Schema) => T,
): Map<unknown, T> {
  const kinds = new Map<unknown, T>()
  for (const option of options) {
    const value = of(option)
    for (const kind of option._zod.propValues?.[discriminator] ?? []) kinds.set(kind, value)
  }
  return kinds
}
