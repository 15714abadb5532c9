import type { Step } from "../../../../worker/sequences/definition/steps-contract.ts"
import { Button } from "../../../ui/button.tsx"
import { Field, TextField, TextInput } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { PropertiesField } from "../../contacts/contact/properties-field.tsx"
import { TopicsField } from "../../contacts/contact/topics-field.tsx"
import { FilterField } from "../../segments/filter-field.tsx"
import { type Issue, issueOf } from "../use-sequence.ts"
import { DaysField } from "./days-field.tsx"
import { DurationField } from "./duration-field.tsx"
import { newCase, newPart } from "./kinds.ts"
import { SendFields } from "./send-fields.tsx"

export interface StepFormProps<S extends Step = Step> {
  step: S
  bookId: string
  issues: readonly Issue[]
  /** Changes of the same field soon after each other are undone together. */
  set(changes: Partial<S>, field?: string): void
  /** Opens the canvas with the mail of the step. */
  onEditMail(): void
}

type Of<K extends Step["kind"]> = StepFormProps<Extract<Step, { kind: K }>>

/** The fields of a step, by its kind. */
export function StepForm(props: StepFormProps) {
  switch (props.step.kind) {
    case "wait":
      return <WaitFields {...(props as Of<"wait">)} />
    case "waitFor":
      return <WaitForFields {...(props as Of<"waitFor">)} />
    case "send":
      return <SendFields {...(props as Of<"send">)} />
    case "branch":
      return <BranchFields {...(props as Of<"branch">)} />
    case "split":
      return <SplitFields {...(props as Of<"split">)} />
    case "set":
      return <SetFields {...(props as Of<"set">)} />
    case "notify":
      return <p className="text-muted">Fires the webhook event sequence.reached with this step.</p>
    case "end":
      return <p className="text-muted">Contacts who reach this step finish the sequence.</p>
  }
}

function WaitFields({ step, issues, set }: Of<"wait">) {
  const { until } = step
  return (
    <>
      <SelectField
        label="Wait"
        value={until ? "until" : "for"}
        onChange={(mode) =>
          set(
            mode === "until"
              ? { for: undefined, until: { time: "09:00" } }
              : { for: "1d", until: undefined },
          )
        }
        options={[
          ["for", "For a duration"],
          ["until", "Until a day and time"],
        ]}
      />
      {until ? (
        <>
          <DaysField
            value={until.days}
            onChange={(days) => set({ until: { time: until.time, ...(days && { days }) } }, "days")}
          />
          <TextField
            label="Time"
            hint="In the zone of the sending window, or of the contact."
            error={issueOf(issues, "until")}
            className="max-w-24"
            value={until.time}
            onChange={({ target }) => set({ until: { ...until, time: target.value } }, "time")}
          />
        </>
      ) : (
        <DurationField
          label="Time"
          value={step.for ?? ""}
          onChange={(value) => set({ for: value }, "for")}
          error={issueOf(issues, "for")}
        />
      )}
    </>
  )
}

function WaitForFields({ step, issues, set }: Of<"waitFor">) {
  return (
    <>
      <TextField
        label="Event"
        hint="As your code names it, such as order.paid."
        error={step.event === "" ? "Enter the name of the event" : issueOf(issues, "event")}
        className="font-mono text-xs"
        value={step.event}
        onChange={({ target }) => set({ event: target.value }, "event")}
      />
      <DurationField
        label="Wait at most"
        value={step.timeout}
        onChange={(timeout) => set({ timeout }, "timeout")}
        error={issueOf(issues, "timeout")}
      />
    </>
  )
}

function BranchFields({ step, bookId, issues, set }: Of<"branch">) {
  const { cases } = step
  return (
    <>
      <p className="text-muted">A contact takes the first path whose conditions it matches.</p>
      {cases.map((one, index) => (
        <section
          // biome-ignore lint/suspicious/noArrayIndexKey: paths have no other name
          key={`${cases.length} ${index}`}
          aria-label={`Path ${index + 1}`}
          className="grid gap-3 rounded-md border p-3"
        >
          <div className="flex items-center justify-between">
            <h3 className="font-medium">Path {index + 1}</h3>
            {cases.length > 1 && (
              <Button small kind="quiet" onClick={() => set({ cases: cases.toSpliced(index, 1) })}>
                Remove path {index + 1}
              </Button>
            )}
          </div>
          <FilterField
            bookId={bookId}
            value={one.filter}
            onChange={(filter) => set({ cases: cases.with(index, { ...one, filter }) }, "filter")}
            error={issueOf(issues, `cases.${index}.filter`)}
          />
        </section>
      ))}
      {issueOf(issues, "cases") && cases.length > 1 && (
        <p role="alert" className="text-xs text-failed">
          {issueOf(issues, "cases")}
        </p>
      )}
      <div>
        <Button small onClick={() => set({ cases: [...cases, newCase()] })}>
          Add path
        </Button>
      </div>
    </>
  )
}

function SplitFields({ step, issues, set }: Of<"split">) {
  const { parts } = step
  return (
    <>
      <p className="text-muted">A contact always gets the same part.</p>
      {parts.map((part, index) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
          key={`${parts.length} ${index}`}
          label={`Weight of part ${index + 1}`}
          error={issueOf(issues, `parts.${index}.weight`)}
        >
          {(control) => (
            <span className="flex gap-2">
              <TextInput
                {...control}
                inputMode="numeric"
                className="max-w-24"
                value={Number.isNaN(part.weight) ? "" : part.weight}
                onChange={({ target }) => {
                  const weight = Number.parseInt(target.value, 10)
                  set({ parts: parts.with(index, { ...part, weight }) }, `weight ${index}`)
                }}
              />
              {parts.length > 2 && (
                <Button kind="quiet" onClick={() => set({ parts: parts.toSpliced(index, 1) })}>
                  Remove part {index + 1}
                </Button>
              )}
            </span>
          )}
        </Field>
      ))}
      <div>
        <Button small onClick={() => set({ parts: [...parts, newPart()] })}>
          Add part
        </Button>
      </div>
    </>
  )
}

function SetFields({ step, issues, set }: Of<"set">) {
  return (
    <>
      <p className="text-muted">Sets these values. All others stay as they are.</p>
      <PropertiesField
        value={step.properties ?? {}}
        onChange={(properties) => set({ properties }, "properties")}
        error={issueOf(issues, "properties")}
      />
      <TopicsField value={step.topics ?? {}} onChange={(topics) => set({ topics }, "topics")} />
    </>
  )
}
