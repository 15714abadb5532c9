import type { Section } from "./blocks.ts"
import { agents } from "./guides/agents.ts"
import { campaigns } from "./guides/campaigns.ts"
import { emailStates, retention } from "./guides/emails.ts"
import { rawMessages } from "./guides/raw-messages.ts"
import { receiving } from "./guides/receiving.ts"
import { sandbox } from "./guides/sandbox.ts"
import { stream } from "./guides/stream.ts"
import { templates } from "./guides/templates.ts"
import { tracking, unsubscribing } from "./guides/tracking.ts"
import { webhookEvents } from "./guides/webhooks.ts"

export const GUIDES: Section[] = [
  emailStates,
  rawMessages,
  receiving,
  sandbox,
  templates,
  campaigns,
  unsubscribing,
  tracking,
  webhookEvents,
  stream,
  agents,
  retention,
]
