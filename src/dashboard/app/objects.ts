/**
 * The noun of each kind of object, and the page of a kind whose objects have no page of their own.
 */
export const OBJECT_TYPES: Record<string, { noun: string; page?: string }> = {
  apiKeys: { noun: "API key", page: "/api-keys" },
  campaigns: { noun: "Campaign" },
  contactBooks: { noun: "Contact book" },
  contacts: { noun: "Contact", page: "/contacts" },
  deliveries: { noun: "Delivery" },
  domains: { noun: "Domain" },
  emails: { noun: "Email" },
  erasures: { noun: "Recipient" },
  inboxes: { noun: "Inbox", page: "/domains" },
  invitations: { noun: "Invitation", page: "/team" },
  layouts: { noun: "Layout" },
  members: { noun: "Member", page: "/team" },
  passkeys: { noun: "Passkey" },
  profile: { noun: "Profile" },
  segments: { noun: "Segment" },
  sessions: { noun: "Session" },
  suppressions: { noun: "Suppression", page: "/suppressions" },
  team: { noun: "Settings", page: "/settings" },
  teams: { noun: "Team" },
  templates: { noun: "Template" },
  threads: { noun: "Thread" },
  topics: { noun: "Topic" },
  views: { noun: "Saved view", page: "/emails" },
  webhooks: { noun: "Webhook" },
}
