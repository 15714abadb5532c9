import { CLOCKS_APART_MS, HOUR_MS, MINUTE_MS } from "../../lib/time.ts"
import type { IdentityCheck } from "../providers/provider.ts"
import type { DomainRow } from "./table.ts"

const CHECK_EVERY_MS = 2 * MINUTE_MS
export const WINDOW_MS = 72 * HOUR_MS
const RECHECK_AFTER_MS = 24 * HOUR_MS

/** No check is due later than this, by the clock of any machine. */
export const LONGEST_CHECK_WAIT_MS = RECHECK_AFTER_MS + CLOCKS_APART_MS

type State = Pick<
  DomainRow,
  "status" | "windowStartedAt" | "verifiedAt" | "checkAt" | "lastError" | "checkingUntil"
>

/** A pending domain with 72 hours left to be proven. */
export const freshWindow = (now: number) =>
  ({
    status: "pending",
    windowStartedAt: now,
    verifiedAt: null,
    checkAt: now,
    checkingUntil: null,
    lastError: null,
  }) as const satisfies State

/** The state of a domain after a check, and the event of the change. */
export function afterCheck(
  domain: Pick<DomainRow, "status" | "windowStartedAt" | "verifiedAt" | "createdAt">,
  check: IdentityCheck,
  now: number,
): { state: State; event: "domain.verified" | "domain.failed" | null } {
  const windowStartedAt = domain.windowStartedAt ?? domain.createdAt
  const reason = check.state === "verified" ? null : check.reason
  const { status, verifiedAt } = domain
  const next = (changes: Partial<State>): State => ({
    status,
    windowStartedAt,
    verifiedAt,
    checkAt: now + CHECK_EVERY_MS,
    checkingUntil: null,
    lastError: reason,
    ...changes,
  })

  if (check.state === "verified") {
    const verified = next({
      status: "verified",
      verifiedAt: verifiedAt ?? now,
      checkAt: now + RECHECK_AFTER_MS,
    })
    return { state: verified, event: status === "verified" ? null : "domain.verified" }
  }
  if (status === "verified") {
    if (check.state === "unknown") return { state: next({}), event: null }
    const demoted = { ...freshWindow(now), checkAt: now + CHECK_EVERY_MS, lastError: reason }
    return { state: demoted, event: "domain.failed" }
  }
  if (check.state === "failed" || now >= windowStartedAt + WINDOW_MS) {
    return { state: next({ status: "failed", checkAt: null }), event: "domain.failed" }
  }
  return { state: next({}), event: null }
}
