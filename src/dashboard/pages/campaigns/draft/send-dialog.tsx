import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Campaign, Contact } from "../../../../client/types.ts"
import { api } from "../../../api/api.ts"
import { useSession } from "../../../app/people.ts"
import { Button } from "../../../ui/button.tsx"
import { Confirm, Dialog } from "../../../ui/dialog/dialog.tsx"
import { ErrorBox } from "../../../ui/form/error-box.tsx"
import { Field, TextInput } from "../../../ui/form/field.tsx"
import { counted } from "../../../ui/numbers.ts"
import { DateTimeInput } from "../../../ui/time/date-input.tsx"
import { toLocal, ZONE } from "../../../ui/time/times.ts"
import { say } from "../../../ui/toast.tsx"
import { useTask } from "../../../ui/use-task.ts"
import { Loaded } from "../../../ui/waiting.tsx"
import { bytesOf, type Message, NOBODY, renderMessage } from "../../blocks/render-message.ts"
import { keep } from "../actions.ts"
import { audienceQuery } from "../data.ts"
import { inZone, withOffset } from "../words.ts"
import { checkCampaign } from "./check-campaign.ts"
import { Findings } from "./findings.tsx"
import type { useDraft } from "./use-draft.ts"

interface Props {
  campaign: Campaign
  draft: ReturnType<typeof useDraft>
  message: Message
  sample: readonly Contact[]
  /** The time that it was scheduled for when somebody began to change it. */
  plannedFor: string | null
  onClose(): void
}

const NAMES: Record<string, string> = {
  name: "Name",
  from: "Sender",
  replyTo: "Reply to",
  subject: "Subject",
  blocks: "Content",
  mergeDefaults: "Default values",
}

/** The last step before sending: checks, a test email and the time. */
export default function SendDialog(props: Props) {
  const { campaign, draft, message, sample, plannedFor, onClose } = props
  const audience = useQuery(audienceQuery(campaign))
  const [confirming, setConfirming] = useState(false)
  const [at, setAt] = useState(plannedFor ? toLocal(plannedFor) : "")
  const { saving, domain, content } = draft
  const incomplete = Object.entries(saving.invalid).map(([field, said]) =>
    field === "blocks"
      ? `Content: ${[...draft.problems.byBlock.values()].flatMap(Object.values)[0] ?? draft.problems.general ?? said}.`
      : `${NAMES[field] ?? field}: ${said}.`,
  )
  const findings = checkCampaign({
    subject: content.subject,
    preheader: content.preheader,
    from: content.from,
    blocks: [...message.header, ...message.blocks, ...message.footer],
    mergeDefaults: message.mergeDefaults,
    sample,
    eligible: audience.data?.eligible ?? 0,
    toSegment: content.segmentId !== null,
    htmlBytes: bytesOf(renderMessage(message, NOBODY).html),
    postalAddress: message.sender.postalAddress,
    domain,
    incomplete: [
      ...incomplete,
      ...(saving.dirty && incomplete.length === 0 ? ["Some changes are not saved yet."] : []),
    ],
  })
  const stops = findings.filter(({ level }) => level === "stop")
  const scheduledAt = withOffset(at)
  const isPast = scheduledAt !== null && Date.parse(scheduledAt) <= Date.now()
  const because = stops[0]?.text
  const go = async () => {
    if (!(await saving.flush())) throw new Error("Your last changes could not be saved.")
    keep(
      scheduledAt
        ? await api.campaigns.schedule(campaign.id, { scheduledAt })
        : await api.campaigns.sendNow(campaign.id),
    )
    say(scheduledAt ? "Campaign scheduled" : "Campaign is being sent")
  }
  return (
    <>
      <Dialog
        wide
        open={!confirming}
        onOpenChange={(open) => open || confirming || onClose()}
        title="Review and send"
      >
        <div className="grid gap-5">
          <Loaded query={audience} lines={4}>
            {() => <Findings findings={findings} />}
          </Loaded>
          <SendTest message={message} from={content.from} sample={sample} />
          <form
            className="grid gap-5"
            onSubmit={(event) => {
              event.preventDefault()
              setConfirming(true)
            }}
          >
            <Field
              label={`Send at (${ZONE})`}
              hint={scheduledAt ? inZone(scheduledAt) : "Leave empty to send now"}
              error={isPast ? "Choose a time in the future" : undefined}
            >
              {(control) => (
                <DateTimeInput
                  {...control}
                  className="max-w-72"
                  placeholder="Now"
                  min={toLocal(Date.now())}
                  value={at}
                  onChange={setAt}
                />
              )}
            </Field>
            <div className="flex justify-end gap-2">
              <Button onClick={onClose}>Back to editing</Button>
              <Button
                kind="primary"
                type="submit"
                disabledBecause={because ?? (isPast && "Choose a time in the future")}
              >
                {scheduledAt ? "Schedule campaign" : "Send campaign now"}
              </Button>
            </div>
          </form>
        </div>
      </Dialog>
      <Confirm
        open={confirming}
        onOpenChange={setConfirming}
        kind="primary"
        title={scheduledAt ? "Schedule campaign" : "Send campaign"}
        description={
          scheduledAt
            ? `Sends on ${inZone(scheduledAt)} to everyone ${content.segmentId === null ? "subscribed" : "in the segment"} at that time.`
            : `Sends to ${counted(audience.data?.eligible ?? 0, "contact")} now. Emails cannot be recalled.`
        }
        action={scheduledAt ? "Schedule campaign" : "Send campaign now"}
        {...(!scheduledAt && { typed: campaign.name })}
        onConfirm={go}
      />
    </>
  )
}

/** Sends the message once, as the newest contact would get it. */
function SendTest({
  message,
  from,
  sample,
}: {
  message: Message
  from: string
  sample: readonly Contact[]
}) {
  const [to, setTo] = useState(useSession().user.email)
  const { busy, error, run } = useTask(async () => {
    const { subject, html, text } = renderMessage(message, sample[0] ?? NOBODY)
    const test = { subject: `[Test] ${subject}`.slice(0, 998), html, text }
    await api.emails.send({ from, to, ...test, tags: { test: "campaign" } })
    say(`Test sent to ${to}`)
  })
  return (
    <div className="grid gap-2">
      <Field
        label="Send a test to"
        hint="Uses your newest contact's values. The subject starts with [Test]."
      >
        {(control) => (
          <span className="flex gap-2">
            <TextInput
              {...control}
              type="email"
              value={to}
              onChange={(event) => setTo(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return
                event.preventDefault()
                if (!busy) void run()
              }}
              className="max-w-64"
            />
            <Button busy={busy} onClick={run}>
              Send test
            </Button>
          </span>
        )}
      </Field>
      {error !== null && <ErrorBox error={error} />}
    </div>
  )
}
