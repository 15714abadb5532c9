import { expect, it } from "vitest"
import { isAllowedHeader } from "../../../src/worker/emails/header-names.ts"

it.each([
  "X-Entity-Ref-ID",
  "X-Campaign",
  "x-order",
  "X-Mailer",
  "X-Priority",
  "X-Auto-Response-Suppress",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "In-Reply-To",
  "References",
  "Feedback-ID",
  "Auto-Submitted",
  "Importance",
])("a send may set %s", (name) => {
  expect(isAllowedHeader(name)).toBe(true)
})
