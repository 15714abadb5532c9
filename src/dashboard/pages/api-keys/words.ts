import type { Permission } from "../../../worker/access/keys/contract.ts"

export const PERMISSION_WORDS: Record<Permission, { short: string; long: string }> = {
  full: { short: "Everything", long: "Everything: send, read, and change settings" },
  sending_only: { short: "Send only", long: "Send emails, and nothing else" },
}
