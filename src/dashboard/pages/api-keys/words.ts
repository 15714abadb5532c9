import type { Permission } from "../../../worker/access/keys/contract.ts"

export const PERMISSION_WORDS: Record<Permission, { short: string; long: string }> = {
  full: { short: "Full access", long: "Full access: send, read and change settings" },
  sending_only: { short: "Send only", long: "Send only" },
}
