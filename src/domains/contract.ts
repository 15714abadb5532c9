export const DOMAIN_STATUSES = ["pending", "verified", "failed"] as const
