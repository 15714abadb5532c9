import type { Settings } from "../../platform/env.ts"
import { ApiError, invalid, retryLater } from "../../platform/http/errors.ts"
import type { Identities } from "../provider.ts"
import { easyDkimRecords, mailFromDomain, mailFromRecords } from "../records.ts"
import { callSes, NOT_CONFIGURED, type SesAnswer } from "./client.ts"

interface Dkim {
  Tokens?: string[]
  SigningHostedZone?: string
  Status?: string
}

interface Identity {
  VerifiedForSendingStatus?: boolean
  VerificationStatus?: string
  DkimAttributes?: Dkim
}

const IDENTITIES = "/v2/email/identities"

export const sesIdentities = (settings: Settings): Identities => ({
  region: settings.AWS_REGION,

  async create(name) {
    const { Tokens = [], SigningHostedZone = "dkim.amazonses.com" } = await addIdentity(
      settings,
      name,
    )
    const mailFrom = await callSes(settings, "PUT", `${IDENTITIES}/${name}/mail-from`, {
      MailFromDomain: mailFromDomain(name),
      BehaviorOnMxFailure: "USE_DEFAULT_VALUE",
    })
    if (!mailFrom.ok) throw toApiError(mailFrom)
    return [
      ...easyDkimRecords(name, Tokens, SigningHostedZone),
      ...mailFromRecords(name, settings.AWS_REGION),
    ]
  },

  async check(name) {
    const answer = await callSes<Identity>(settings, "GET", `${IDENTITIES}/${name}`)
    if (!answer.ok) {
      const { status, reason } = answer
      return status === 404
        ? { state: "pending", reason, isMissing: true }
        : { state: "unknown", reason }
    }
    const { VerifiedForSendingStatus, DkimAttributes } = answer.body
    if (VerifiedForSendingStatus) return { state: "verified" }
    const status = DkimAttributes?.Status ?? "PENDING"
    const reason = `Amazon SES reports DKIM ${status}.`
    return { state: status === "FAILED" ? "failed" : "pending", reason }
  },

  async remove(name) {
    const removed = await callSes(settings, "DELETE", `${IDENTITIES}/${name}`)
    if (!removed.ok && removed.status !== 404) throw toApiError(removed)
  },
})

/** SES no longer checks a failed domain, so that one is removed and added again. */
async function addIdentity(settings: Settings, name: string): Promise<Dkim> {
  const add = () =>
    callSes<Identity>(settings, "POST", IDENTITIES, {
      EmailIdentity: name,
      DkimSigningAttributes: { NextSigningKeyLength: "RSA_2048_BIT" },
    })
  let answer = await add()
  if (!answer.ok && answer.code === "AlreadyExistsException") {
    answer = await callSes<Identity>(settings, "GET", `${IDENTITIES}/${name}`)
    if (answer.ok && answer.body.DkimAttributes?.Status === "FAILED") {
      await callSes(settings, "DELETE", `${IDENTITIES}/${name}`)
      answer = await add()
    }
  }
  if (!answer.ok) throw toApiError(answer)
  return answer.body.DkimAttributes ?? {}
}

function toApiError({
  status,
  code,
  reason,
}: Extract<SesAnswer<unknown>, { ok: false }>): ApiError {
  if (code === NOT_CONFIGURED || status === 403) return new ApiError("not_configured", reason)
  if (code === "BadRequestException") return invalid(["name"], reason)
  if (status === 429) return retryLater("rate_limited", reason, 5)
  return retryLater("unavailable", "Amazon SES could not be asked. Try again.", 5)
}
