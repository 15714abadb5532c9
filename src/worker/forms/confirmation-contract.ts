import * as z from "zod"
import { blocksWith } from "../campaigns/blocks/contract.ts"
import { isLink } from "../campaigns/blocks/links.ts"
import { title } from "../platform/http/shapes.ts"

/** The source of a regular expression. */
export const CONFIRM_URL = "\\{\\{\\s*confirmUrl\\s*\\}\\}"
const IS_CONFIRM_URL = new RegExp(`^${CONFIRM_URL}$`)

/** The mail that asks for a confirmation, as a form has it. */
export const confirmationMail = z.object({
  subject: title(998),
  blocks: blocksWith(
    {
      isLink: (url) => IS_CONFIRM_URL.test(url) || isLink(url),
      about: "`http(s)` or `mailto`, or `{{ confirmUrl }}` alone.",
    },
    "ConfirmationBlock",
  ),
})
export type ConfirmationMail = z.output<typeof confirmationMail>
