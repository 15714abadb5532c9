import * as z from "zod"
import { boundedText } from "../http/shapes.ts"

export const idempotencyHeader = z.object({
  "idempotency-key": boundedText(256)
    .min(1)
    .optional()
    .describe("Same as `idempotencyKey` in the body; on a batch it stands for the whole call."),
})
