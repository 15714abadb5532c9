export const COUNTED = ["sent", "delivered", "bounced", "complained"] as const
export type Counts = Record<(typeof COUNTED)[number], number>

export interface Alert {
  kind: "bounce" | "complaint" | "webhook" | "domain"
  level: "warning" | "critical"
  rate: number | null
  id: string | null
  label: string | null
}

export interface OverviewReply {
  /** The last 24 hours. */
  today: Counts
  /** A usual 24 hours; null in the first days. */
  usual: Counts | null
  alerts: Alert[]
  checklist: Record<string, boolean>
}
