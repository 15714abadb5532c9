import type { Role } from "../../platform/context.ts"

/** Highest role first. */
export const ROLES = ["owner", "admin", "member"] as const satisfies readonly Role[]
