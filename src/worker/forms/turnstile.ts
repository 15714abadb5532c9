import { unseal } from "../../lib/seal.ts"
import { withSignal } from "../../lib/within.ts"
import type { Work } from "../platform/context.ts"
import { invalid, retryLater } from "../platform/http/errors.ts"
import { TURNSTILE_FIELD } from "./field-names.ts"
import type { FormRow } from "./table.ts"

const VERIFY_URL = "https://challenges.cloudflare.com/turnstile/v0/siteverify"
const WITHIN_MS = 5_000
const MAX_TOKEN_CHARACTERS = 2_048

/** Asks Cloudflare about the token of its widget. Without an answer, the form is refused for now. */
export async function checkTurnstile(
  work: Work,
  { id, turnstileSecret }: Pick<FormRow, "id" | "turnstileSecret">,
  token: unknown,
  ip: string | undefined,
): Promise<void> {
  if (turnstileSecret === null) return
  if (typeof token !== "string" || token === "" || token.length > MAX_TOKEN_CHARACTERS) {
    throw invalid([TURNSTILE_FIELD], "Required")
  }
  const body = new URLSearchParams({
    secret: unseal(work.settings, id, turnstileSecret),
    response: token,
    ...(ip && { remoteip: ip }),
  })
  const isHuman = await withSignal(WITHIN_MS, async (signal) => {
    const response = await fetch(VERIFY_URL, { method: "POST", body, signal })
    const { success } = await response.json<{ success?: boolean }>()
    return success === true
  }).catch(() => {
    throw retryLater("unavailable", "Turnstile does not answer. Try again shortly.", 5)
  })
  if (!isHuman) throw invalid([TURNSTILE_FIELD], "Turnstile refused this token")
}
