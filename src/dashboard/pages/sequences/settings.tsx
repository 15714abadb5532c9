import { useQuery } from "@tanstack/react-query"
import type { Sequence } from "../../../client/types.ts"
import { ENTRIES } from "../../../worker/sequences/statuses.ts"
import { Switch, TextField } from "../../ui/form/field.tsx"
import { SelectField } from "../../ui/menu/select.tsx"
import { Card, Section } from "../../ui/page.tsx"
import { SenderFields } from "../campaigns/draft/sender-fields.tsx"
import { TopicSelect } from "../campaigns/draft/topic-select.tsx"
import { segmentsQuery } from "../segments/data.ts"
import { FilterField } from "../segments/filter-field.tsx"
import { newCase } from "./builder/kinds.ts"
import { WindowFields } from "./builder/window-fields.tsx"
import { type Editing, issueOf } from "./use-sequence.ts"

interface Props {
  sequence: Sequence
  editing: Editing
}

/** Everything but the steps. */
export function Settings(props: Props) {
  return (
    <div className="grid gap-6 xl:grid-cols-2">
      <Section title="Who enters">
        <Card className="grid gap-4 p-4">
          <Entry {...props} />
        </Card>
      </Section>
      <Section title="Who leaves early">
        <Card className="grid gap-4 p-4">
          <Leaving {...props} />
        </Card>
      </Section>
      <Section title="Name and sender">
        <Card className="grid gap-4 p-4">
          <Sender {...props} />
        </Card>
      </Section>
      <Section title="Sending window">
        <Card className="grid gap-4 p-4">
          <WindowFields {...props} />
        </Card>
      </Section>
    </div>
  )
}

const ENTRY_WORDS: Record<(typeof ENTRIES)[number], string> = {
  once: "Only once",
  again: "Again after finishing",
}

function Entry({ sequence, editing: { content, update, issues } }: Props) {
  const { trigger, entry } = content
  const { data: segments = [] } = useQuery(segmentsQuery(sequence.bookId))
  const start = (on: string) =>
    update({
      trigger:
        on === "segment"
          ? { on, segmentId: segments[0]?.id ?? "" }
          : on === "event"
            ? { on, name: "" }
            : ({ on } as { on: "subscribed" | "call" }),
    })
  return (
    <>
      <SelectField
        label="Starts"
        value={trigger.on}
        onChange={start}
        options={[
          ["subscribed", "When somebody subscribes"],
          ["segment", "When a contact begins to match a segment"],
          ["event", "With an event"],
          ["call", "When your code calls the API"],
        ]}
      />
      {trigger.on === "subscribed" && (
        <Switch
          label="Imported contacts enter, too"
          checked={trigger.imports ?? false}
          onChange={(imports) => update({ trigger: { ...trigger, imports } })}
        />
      )}
      {trigger.on === "segment" && (
        <SelectField
          label="Segment"
          hint="Checked every hour. Contacts who already match when you activate do not enter."
          error={
            segments.some(({ id }) => id === trigger.segmentId) ? undefined : "Choose a segment"
          }
          value={trigger.segmentId}
          onChange={(segmentId) => update({ trigger: { ...trigger, segmentId } })}
          options={segments.map(({ id, name }) => [id, name] as const)}
        />
      )}
      {trigger.on === "event" && (
        <TextField
          label="Event"
          hint="As your code names it, such as trial.started."
          error={
            trigger.name === "" ? "Enter the name of the event" : issueOf(issues, "trigger.name")
          }
          className="font-mono text-xs"
          value={trigger.name}
          onChange={({ target }) => update({ trigger: { ...trigger, name: target.value } })}
        />
      )}
      <SelectField
        label="A contact can enter"
        value={entry}
        onChange={(entry) => update({ entry })}
        options={ENTRIES.map((one) => [one, ENTRY_WORDS[one]] as const)}
      />
    </>
  )
}

function Leaving({ sequence, editing: { content, update, issues, restores } }: Props) {
  const { goal, endOnReply } = content
  return (
    <>
      <p className="text-muted">
        People who unsubscribe, or whose address is suppressed, always leave.
      </p>
      <Switch
        label="People who reply leave"
        checked={endOnReply}
        onChange={(endOnReply) => update({ endOnReply })}
      />
      <Switch
        label="People who reach a goal leave"
        checked={goal !== null}
        onChange={(hasGoal) => update({ goal: hasGoal ? newCase().filter : null })}
      />
      {goal && (
        <FilterField
          key={restores}
          bookId={sequence.bookId}
          value={goal}
          onChange={(goal) => update({ goal })}
          error={issueOf(issues, "goal")}
        />
      )}
    </>
  )
}

function Sender({ editing: { content, update, issues, domain } }: Props) {
  return (
    <>
      <TextField
        label="Name"
        hint="Only your team sees it."
        error={issueOf(issues, "name")}
        value={content.name}
        onChange={({ target }) => update({ name: target.value })}
      />
      <SenderFields
        {...{ content, update, domain }}
        errors={{ from: issueOf(issues, "from"), replyTo: issueOf(issues, "replyTo") }}
      />
      <TopicSelect
        topicId={content.topicId}
        hint="Only contacts who want this topic get these emails. Others skip them."
        none="None: everyone gets them"
        update={update}
      />
    </>
  )
}
