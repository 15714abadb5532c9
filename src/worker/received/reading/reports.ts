import { and, eq } from "drizzle-orm"
import { findAddress } from "../../../lib/address.ts"
import type { EmailEventType, EventData } from "../../emails/contract.ts"
import { type EmailReport, reportOf } from "../../emails/outcomes/report.ts"
import { emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { bounceTypeOf } from "../../providers/bounce-type.ts"
import type { ReceivedRow } from "../table.ts"
import { type ParsedMessage, STATUS_TYPES } from "./parse.ts"
import { readReportAddress } from "./report-addresses.ts"
import { type ReportFields, readGroups } from "./report-groups.ts"

/** What a message says of one of the recipients. */
interface Said {
  type: EmailEventType
  data: EventData
  /** The addresses that the message names, the one that was mailed first. */
  named: (string | null)[]
}

/** The outcomes that a bounce or a complaint tells of. None without an address that we signed. */
export async function readReports(
  work: Work,
  row: ReceivedRow,
  message: Pick<ParsedMessage, "kind" | "bytes" | "parts">,
): Promise<EmailReport[]> {
  const { kind } = message
  if (kind !== "bounce" && kind !== "complaint") return []
  const [types, said] =
    kind === "bounce"
      ? ([STATUS_TYPES, readStatus] as const)
      : ([["message/feedback-report"], readFeedback] as const)
  const groups = await readGroups(message, types)
  const mailFrom = groups[0]?.get("original-mail-from")
  const address = [row.envelopeTo, kind === "complaint" ? findAddress(mailFrom ?? "") : null]
    .map((one) => readReportAddress(work.settings, one ?? ""))
    .find((one) => one?.kind === "bounce")
  if (!address) return []
  const [email] = await work.db
    .select({ teamId: emails.teamId, emailId: emails.id, recipients: emails.recipients })
    .from(emails)
    .where(and(eq(emails.teamId, row.teamId), eq(emails.id, address.emailId)))
  if (!email) return []
  const ours = email.recipients.map((one) => one.address)
  return groups.flatMap((fields) => {
    const { type, data, named } = said(fields) ?? {}
    if (!type) return []
    // Who is not named suppresses nobody, and a forwarded message names an address that we do not know.
    const only = ours.length === 1 ? ours[0] : undefined
    const recipient = named?.find((one) => one !== null && ours.includes(one)) ?? only
    const detail = `${row.id} ${recipient ?? named?.join()}`
    return reportOf(
      email,
      type,
      row.createdAt,
      { ...data, ...(recipient && { recipients: [recipient] }) },
      detail,
    )
  })
}

/** RFC 3464: what became of one recipient. */
function readStatus(fields: ReportFields): Said | null {
  const addressIn = (name: string) => findAddress((fields.get(name) ?? "").replace(/^[^;]*;/, ""))
  const named = [addressIn("original-recipient"), addressIn("final-recipient")]
  const diagnosticCode = fields.get("diagnostic-code")
  const data = { ...(diagnosticCode && { diagnosticCode }) }
  switch (fields.get("action")?.toLowerCase().split(/[\s(]/)[0]) {
    case "failed":
      return {
        type: "bounced",
        data: { bounceType: bounceTypeOf(statusOf(fields)), ...data },
        named,
      }
    case "delayed":
      return { type: "delayed", data, named }
    case "delivered":
      return { type: "delivered", data, named }
    default:
      return null
  }
}

/** Some servers write X.0.0 and have the code of the other server in their words. */
function statusOf(fields: ReportFields): string {
  const [status = ""] = fields.get("status")?.match(/[245]\.\d{1,3}\.\d{1,3}/) ?? []
  const [said] = fields.get("diagnostic-code")?.match(/\b[45]\.\d{1,3}\.\d{1,3}\b/) ?? []
  return said && /\.0\.0$/.test(status) ? said : status
}

/** Reports of failed authentication (RFC 6591) have the same form and are no complaints. */
const COMPLAINTS = ["abuse", "fraud", "virus", "other", "not-spam", "opt-out"]

/** RFC 5965. */
function readFeedback(fields: ReportFields): Said | null {
  const feedback = fields.get("feedback-type")?.toLowerCase() ?? ""
  if (!COMPLAINTS.includes(feedback)) return null
  return {
    type: "complained",
    data: { complaintFeedbackType: feedback },
    named: [findAddress(fields.get("original-rcpt-to") ?? "")],
  }
}
