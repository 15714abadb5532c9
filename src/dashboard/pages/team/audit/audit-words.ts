import { OBJECT_TYPES } from "../../../app/palette/objects.ts"
import { sentence } from "../../../ui/badge.tsx"

const VERBS: Record<string, string> = {
  accept: "accepted",
  activate: "activated",
  add: "added",
  archive: "archived",
  cancel: "cancelled",
  create: "created",
  createDraft: "draft created",
  delete: "deleted",
  discardDraft: "draft discarded",
  pause: "paused",
  publish: "published",
  remove: "removed",
  resend: "sent again",
  restore: "restored",
  resume: "resumed",
  revoke: "revoked",
  saveDraft: "draft saved",
  rotateSecret: "secret rotated",
  schedule: "scheduled",
  sendNow: "sent",
  update: "changed",
  verify: "checked",
}

const WHOLE: Record<string, string> = {
  claim: "Installation claimed",
  "contactBooks.import": "Contacts imported",
  "erasures.create": "Recipient erased",
  "passwordReset.complete": "Password reset",
  "profile.changePassword": "Password changed",
  "secondFactor.confirm": "Authenticator app turned on",
  "secondFactor.remove": "Authenticator app turned off",
  "secondFactor.renewRecoveryCodes": "Recovery codes replaced",
  "sessions.end": "Session ended",
  "sessions.endAll": "Signed out everywhere",
  "sessions.signIn": "Signed in",
  "teams.leave": "Left the team",
}

const ENDS = ["delete", "remove", "revoke"]

/** `apiKeys.create` becomes "API key created". An unknown action keeps its name. */
export function actionWords(action: string): string {
  const [type = "", verb = ""] = action.split(".")
  const whole = WHOLE[action]
  const words = (name: string) => name.replaceAll(/([A-Z])/g, " $1").toLowerCase()
  if (whole) return whole
  const noun = OBJECT_TYPES[type]?.noun ?? sentence(words(type))
  return `${noun} ${VERBS[verb] ?? words(verb)}`.trim()
}

/** Whether the object is gone after the action. */
export const isEnd = (action: string) => ENDS.includes(action.split(".")[1] ?? "")

const FIELDS: Record<string, string> = {
  bookId: "Contact book",
  defaultFrom: "Default sender",
  dnsMode: "DNS records",
  domainId: "Domain",
  query: "Filters",
  scheduledAt: "Scheduled for",
  segmentId: "Segment",
  topicId: "Topic",
  trackClicks: "Click tracking",
  trackOpens: "Open tracking",
  url: "URL",
}

/** `postalAddress` becomes "Postal address". */
export const fieldWords = (field: string) =>
  FIELDS[field] ?? sentence(field.replaceAll(/([A-Z])/g, " $1").toLowerCase())
