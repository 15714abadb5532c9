import type * as z from "zod"

/** zod's own words for a missing value are hard to read. */
export const required: z.core.$ZodErrorMap = ({ code, input }) =>
  code === "invalid_type" && input === undefined ? "Required" : undefined
