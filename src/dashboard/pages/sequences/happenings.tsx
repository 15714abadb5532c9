import { X } from "lucide-react"
import type { SimulateSequenceInput } from "../../../client/types.ts"
import { durationMs, type Step } from "../../../worker/sequences/definition/steps-contract.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Select } from "../../ui/menu/select.tsx"
import { DurationField } from "./builder/duration-field.tsx"
import { keysInOrder, stepOf } from "./builder/tree.ts"
import { stepTitle } from "./words.ts"

/** What the person does, some time after the start. */
export interface HappeningDraft {
  key: number
  what: "open" | "click" | "event" | "unsubscribe"
  /** The step whose mail is opened, or the name of the event. */
  name: string
  after: string
}

type Happenings = NonNullable<SimulateSequenceInput["happenings"]>

/** Those that are filled in. */
export const toHappenings = (drafts: readonly HappeningDraft[], start: Date): Happenings =>
  drafts
    .filter(({ what, name, after }) => (what === "unsubscribe" || name) && durationMs(after) >= 0)
    .map(({ what, name, after }) => ({
      at: new Date(start.getTime() + durationMs(after)).toISOString(),
      ...(what === "unsubscribe" ? { unsubscribe: true as const } : { [what]: name }),
    }))

let keys = 0

interface Props {
  steps: readonly Step[]
  drafts: readonly HappeningDraft[]
  onChange(drafts: readonly HappeningDraft[]): void
}

export function HappeningFields({ steps, drafts, onChange }: Props) {
  const mails = keysInOrder(steps).flatMap((key) => {
    const step = stepOf(steps, key)
    return step?.kind === "send" ? [[key, stepTitle(step)] as const] : []
  })
  const [first] = mails
  const add = () => {
    const what = first ? "open" : "event"
    onChange([...drafts, { key: ++keys, what, name: first?.[0] ?? "", after: "1h" }])
  }
  const set = (key: number, changes: Partial<HappeningDraft>) =>
    onChange(drafts.map((one) => (one.key === key ? { ...one, ...changes } : one)))
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">What the person does</legend>
      {drafts.map((draft, index) => (
        <fieldset key={draft.key} className="relative grid gap-2 rounded-md border p-3">
          <legend className="sr-only">Action {index + 1}</legend>
          <Select
            aria-label="What"
            className="max-w-[calc(100%-40px)]"
            value={draft.what}
            onChange={(what) =>
              set(draft.key, {
                what,
                name: what === "open" || what === "click" ? (first?.[0] ?? "") : "",
              })
            }
            options={[
              ...(first
                ? ([
                    ["open", "Opens the email"],
                    ["click", "Clicks in the email"],
                  ] as const)
                : []),
              ["event", "Triggers an event"],
              ["unsubscribe", "Unsubscribes"],
            ]}
          />
          {(draft.what === "open" || draft.what === "click") && (
            <Select
              aria-label="Email"
              value={draft.name}
              onChange={(name) => set(draft.key, { name })}
              options={mails}
            />
          )}
          {draft.what === "event" && (
            <TextField
              label="Event"
              className="font-mono text-xs"
              placeholder="order.paid"
              value={draft.name}
              onChange={({ target }) => set(draft.key, { name: target.value })}
            />
          )}
          <DurationField
            label="After the start"
            value={draft.after}
            onChange={(after) => set(draft.key, { after })}
            error={undefined}
          />
          <span className="absolute top-3 right-2">
            <IconButton
              label={`Remove action ${index + 1}`}
              onClick={() => onChange(drafts.filter(({ key }) => key !== draft.key))}
            >
              <X size={14} aria-hidden />
            </IconButton>
          </span>
        </fieldset>
      ))}
      <div>
        <Button small onClick={add}>
          Add an action
        </Button>
      </div>
    </fieldset>
  )
}
