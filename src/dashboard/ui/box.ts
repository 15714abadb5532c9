/** The look of what takes a value. */
export const BOX =
  "w-full min-w-0 rounded-md border bg-raised px-2.5 text-ink placeholder:text-ellipsis aria-invalid:border-failed disabled:opacity-60"
