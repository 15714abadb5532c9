/** The statuses of an email with their ranks. A status changes only to one of a higher rank. */
export const STATUS_RANK = {
  queued: 0,
  scheduled: 0,
  sending: 1,
  sent: 2,
  delivered: 3,
  bounced: 4,
  failed: 4,
  cancelled: 4,
  complained: 5,
} as const

export type EmailStatus = keyof typeof STATUS_RANK
export const EMAIL_STATUSES = Object.keys(STATUS_RANK) as [EmailStatus, ...EmailStatus[]]

/** The statuses of emails that are still to be sent. */
export const OPEN_STATUSES: readonly EmailStatus[] = ["queued", "scheduled", "sending"]

/** A campaign is complete when each of its emails has one of these statuses. */
export const ENDED_STATUSES = EMAIL_STATUSES.filter(
  (status) => STATUS_RANK[status] >= STATUS_RANK.delivered,
)
