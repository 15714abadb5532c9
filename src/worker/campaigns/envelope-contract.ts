import * as z from "zod"
import { mailbox, title } from "../platform/http/shapes.ts"

/** What a campaign has before it has blocks. The dashboard asks for it without the blocks' schemas. */
export const envelope = z.object({
  name: title(200),
  bookId: z.string().describe("The contact book that it is sent to."),
  from: mailbox,
  subject: title(998).describe("May contain merge fields."),
})
