import { confirmAddress, invitation, passwordReset, signInCode, welcome } from "./account.ts"
import { paymentFailed, receipt, shipped } from "./orders.ts"
import type { TemplateStarter } from "./starter.ts"

export const TEMPLATE_STARTERS: readonly TemplateStarter[] = [
  welcome,
  confirmAddress,
  signInCode,
  passwordReset,
  invitation,
  receipt,
  shipped,
  paymentFailed,
]
