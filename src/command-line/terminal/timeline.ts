import type { EmailEvent } from "../../client/index.ts"
import { clean } from "./paint.ts"

export function detailOf(event: EmailEvent): string {
  const { bounceType, complaintFeedbackType, diagnosticCode, recipients, reason, url } = event
  const parts = [recipients?.join(", "), bounceType, complaintFeedbackType, diagnosticCode]
  return clean([...parts, reason, url].filter(Boolean).join("  "))
}
