import * as z from "zod"
import { MAX_TOPICS } from "../../topics/contract.ts"

export const subscription = z.enum(["opt_in", "opt_out"])
export const topicChoices = z.array(z.object({ id: z.string(), subscription })).max(MAX_TOPICS)

/** The choices of a contact, in the form of our own API. */
export const toChoices = (list: z.output<typeof topicChoices>) =>
  Object.fromEntries(list.map(({ id, subscription }) => [id, subscription === "opt_in"]))
