import type { EventType } from "../../worker/webhooks/events/types.ts"
import { sendCampaign } from "./campaign.ts"
import { askContact, changeContact } from "./contact.ts"
import { addDomain } from "./domain.ts"
import { follow, mailTo } from "./email.ts"
import { receive } from "./received.ts"
import { runSequence } from "./sequence.ts"
import { inSandbox, type Trigger } from "./trial.ts"

export const TRIGGERS: Record<EventType, Trigger> = {
  "email.sent": mailTo("success", "sent"),
  "email.delivered": mailTo("success", "delivered"),
  "email.delayed": inSandbox(mailTo("delay", "delayed")),
  "email.bounced": mailTo("bounce", "bounced"),
  "email.complained": mailTo("complaint", "complained"),
  "email.opened": inSandbox(follow("opened", "/t/o/")),
  "email.clicked": inSandbox(follow("clicked", "/t/c/")),
  "email.failed": inSandbox(mailTo("reject", "failed")),
  "domain.verified": inSandbox(addDomain("verified")),
  "domain.failed": inSandbox(addDomain("failed")),
  "contact.created": changeContact(),
  "contact.updated": changeContact({ firstName: "Ada" }),
  "contact.unsubscribed": changeContact({ subscribed: false }),
  "contact.resubscribed": changeContact({ subscribed: false }, { subscribed: true }),
  "contact.pending": askContact({ confirms: false }),
  "contact.confirmed": inSandbox(askContact({ confirms: true })),
  "campaign.sent": sendCampaign("sent"),
  "campaign.completed": sendCampaign("delivered"),
  "email.received": inSandbox(receive(false)),
  "email.replied": inSandbox(receive(true)),
  "sequence.started": runSequence(),
  "sequence.finished": runSequence(),
  "sequence.reached": runSequence(),
  "sequence.held": runSequence(),
}
