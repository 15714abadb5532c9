export const ALERT_KINDS = ["bounce", "complaint"] as const
export const ALERT_LEVELS = ["warning", "critical"] as const

interface Alert {
  kind: (typeof ALERT_KINDS)[number]
  level: (typeof ALERT_LEVELS)[number]
  rate: number
}

/** Below this number of sends a rate means nothing. */
export const ALERT_MIN_SENDS = 20

/** Providers review a sender from the first rate on, and stop it from the second. */
export const THRESHOLDS = {
  bounce: { warning: 0.04, critical: 0.05 },
  complaint: { warning: 0.0008, critical: 0.001 },
}

interface Outcomes {
  sent: number
  bounced: number
  complained: number
}

export const alertsOn = (outcomes: Outcomes): Alert[] =>
  outcomes.sent < ALERT_MIN_SENDS ? [] : highRates(outcomes)

/** The rates that reach a threshold, whatever the number of sends. */
export function highRates({ sent, bounced, complained }: Outcomes): Alert[] {
  const rates = { bounce: bounced / sent, complaint: complained / sent }
  return ALERT_KINDS.flatMap((kind) => {
    const rate = Math.min(1, rates[kind])
    const level = ALERT_LEVELS.findLast((one) => rate >= THRESHOLDS[kind][one])
    return level ? [{ kind, level, rate }] : []
  })
}
