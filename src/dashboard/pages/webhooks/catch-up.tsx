import { useState } from "react"
import { DAY_MS } from "../../../lib/time.ts"
import type { replayFailed } from "../../../worker/webhooks/dashboard-contract.ts"
import { call, path } from "../../api/api.ts"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { Field, TextField } from "../../ui/form/field.tsx"
import { SelectField } from "../../ui/menu/select.tsx"
import { counted, number } from "../../ui/numbers.ts"
import { DateTimeInput } from "../../ui/time/date-input.tsx"
import { toLocal } from "../../ui/time/times.ts"
import { say } from "../../ui/toast.tsx"
import { catchUp, type DialogProps, positionAt } from "./data.ts"

const Since = ({ value, onChange }: { value: string; onChange(value: string): void }) => (
  <Field label="Since" hint="In your time zone. Events are kept for 30 days.">
    {(control) => (
      <DateTimeInput {...control} value={value} onChange={(at) => at && onChange(at)} />
    )}
  </Field>
)

const sayQueued = (count: number) =>
  say(count === 0 ? "Nothing to catch up on" : `${counted(count, "delivery", "deliveries")} queued`)

const QueuedSoFar = ({ count }: { count: number }) =>
  count > 0 && <p role="status">{number(count)} queued so far</p>

/** Each call queues a bounded number, so it is repeated until nothing is left. */
export function ReplayFailed({ webhook, onClose }: DialogProps) {
  const [since, setSince] = useState(() => toLocal(Date.now() - DAY_MS))
  const [queued, setQueued] = useState(0)
  const replay = async () => {
    let count = 0
    let cursor: string | null = null
    do {
      const reply: { queued: number; nextCursor: string | null } = await call<typeof replayFailed>({
        method: "POST",
        path: path`/webhooks/${webhook.id}/replay-failed`,
        body: { since: new Date(since).toISOString(), ...(cursor && { cursor }) },
        retry: true,
      })
      count += reply.queued
      cursor = reply.nextCursor
      setQueued(count)
    } while (cursor)
    sayQueued(count)
  }
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Replay all failed"
      description="Queues a new delivery for every failed one. Events delivered by an earlier replay are skipped."
      action="Replay all failed"
      kind="primary"
      onConfirm={replay}
    >
      <Since value={since} onChange={setSince} />
      <QueuedSoFar count={queued} />
    </Confirm>
  )
}

/** Queues the events that the webhook missed, from a time or an event's number on. */
export function CatchUp({ webhook, onClose }: DialogProps) {
  const [from, setFrom] = useState("time")
  const [since, setSince] = useState(() => toLocal(Date.now() - DAY_MS))
  const [eventNumber, setEventNumber] = useState("0")
  const [queued, setQueued] = useState(0)
  const start = async () => {
    const after = from === "number" ? Number(eventNumber) : await positionAt(Date.parse(since))
    sayQueued(await catchUp(webhook.id, after, setQueued))
  }
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Catch up"
      description="Queues the events this webhook missed, oldest first."
      action="Catch up"
      kind="primary"
      onConfirm={start}
    >
      <SelectField
        label="From"
        value={from}
        onChange={setFrom}
        options={[
          ["time", "A point in time"],
          ["number", "An event number"],
        ]}
      />
      {from === "time" ? (
        <Since value={since} onChange={setSince} />
      ) : (
        <TextField
          label="After number"
          hint="The svc-event-sequence header of the last event you received. 0 queues everything."
          type="number"
          min={0}
          step={1}
          required
          value={eventNumber}
          onChange={(event) => setEventNumber(event.target.value)}
        />
      )}
      <QueuedSoFar count={queued} />
    </Confirm>
  )
}
