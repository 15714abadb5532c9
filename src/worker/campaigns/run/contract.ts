import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { OTHER_DOMAIN } from "../../platform/http/errors.ts"
import { exampleTimeAhead } from "../../platform/http/example.ts"
import { scheduleTime } from "../../platform/http/shapes.ts"
import { campaign } from "../contract.ts"

const tag = "Campaigns"

const startRefusals = {
  validation_error:
    "Also a book, segment, topic, domain or layout that is no longer there (`details.field`), and a placeholder that is no merge field.",
  conflict: "It is neither a draft nor scheduled.",
  domain_not_verified: "The domain is not verified.",
}

export const scheduleCampaign = endpoint({
  name: "campaigns.schedule",
  call: "POST /campaigns/:id/schedule",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Schedule a campaign",
  example: () => ({ scheduledAt: exampleTimeAhead() }),
  exampleReply: () => ({ status: "scheduled", scheduledAt: exampleTimeAhead() }),
  refuses: startRefusals,
  json: z.object({ scheduledAt: scheduleTime }),
  response: campaign,
})

export const sendCampaign = endpoint({
  name: "campaigns.sendNow",
  call: "POST /campaigns/:id/send",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Send a campaign now",
  description:
    "Layouts and blocks are frozen as they are now. It takes no time, by design: a body with `scheduledAt` is refused.",
  exampleReply: () => ({ status: "sending" }),
  refuses: startRefusals,
  json: z.object({
    scheduledAt: z.undefined("Takes no time: use the call that schedules").optional(),
  }),
  bodyOptional: true,
  response: campaign,
})

export const cancelCampaign = endpoint({
  name: "campaigns.cancel",
  call: "POST /campaigns/:id/cancel",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Cancel a campaign that is scheduled or being sent",
  description:
    "What is still queued is cancelled too; what the provider has is not recalled. Again on a cancelled one: the same answer, and nothing changes.",
  exampleReply: () => ({ status: "cancelled" }),
  refuses: { conflict: "It is a `draft` or `sent`." },
  retryable: true,
  response: campaign,
})

export const pauseCampaign = endpoint({
  name: "campaigns.pause",
  call: "POST /campaigns/:id/pause",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Pause a campaign",
  description:
    "Queues no further email and holds those in the queue. Emails already taken for sending still go. Safe to repeat.",
  exampleReply: () => ({ status: "sending", pausedReason: "Paused by hand." }),
  refuses: { conflict: "It is neither `sending` nor `sent` with emails in the queue." },
  retryable: true,
  response: campaign,
})

export const resumeCampaign = endpoint({
  name: "campaigns.resume",
  call: "POST /campaigns/:id/resume",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Resume a paused campaign",
  description: "One that is not paused stays as it is. See also [the brake](#brake).",
  exampleReply: () => ({ status: "sending", brake: true }),
  refuses: { forbidden: OTHER_DOMAIN, conflict: "It is neither `sending` nor `sent`." },
  retryable: true,
  response: campaign,
})
