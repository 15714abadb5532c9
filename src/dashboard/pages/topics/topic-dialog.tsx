import { Controller } from "react-hook-form"
import type { CreateTopicInput, Topic } from "../../../client/types.ts"
import { createTopic, TOPIC_DEFAULTS } from "../../../worker/topics/contract.ts"
import { api } from "../../api/api.ts"
import { useMay } from "../../app/people.ts"
import { changesIn, requestBody, saveChanges } from "../../ui/changes.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { SelectField } from "../../ui/menu/select.tsx"
import { Facts } from "../../ui/page.tsx"
import { Mono } from "../../ui/request/copy.tsx"
import { saveRequest } from "../../ui/request/request-of.ts"
import { say } from "../../ui/toast.tsx"
import { DEFAULTS } from "./data.ts"
import { DeleteTopic } from "./delete-topic.tsx"

interface Props {
  /** Without one, a topic is created. */
  topic: Topic | undefined
  onClose(): void
  onChanged(): void
}

type Input = Required<CreateTopicInput>

/** Creates a topic, or changes the one given. */
export default function TopicDialog({ topic, onClose, onChanged }: Props) {
  const may = useMay()
  const title = topic ? topic.name : "Create topic"
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      {topic && !may.manage ? (
        <TopicFacts topic={topic} />
      ) : (
        <TopicForm topic={topic} onClose={onClose} onChanged={onChanged} />
      )}
    </Dialog>
  )
}

function TopicForm({ topic, onClose, onChanged }: Props) {
  const form = useSchemaForm<Input>(createTopic.json, {
    name: topic?.name ?? "",
    description: topic?.description ?? "",
    default: topic?.default ?? "subscribed",
  })
  const toSend = ({ name, description, default: byDefault }: Input) => ({
    name,
    description: description || null,
    default: byDefault,
  })
  const shown = form.watch()
  const whole = toSend(shown)
  const values = topic ? requestBody(changesIn(form, shown, toSend), whole) : whole
  return (
    <Form
      guard
      form={form}
      submit={topic ? "Save" : "Create topic"}
      beside={
        topic && (
          <DeleteTopic
            topic={topic}
            onDeleted={() => {
              onChanged()
              onClose()
            }}
          />
        )
      }
      request={saveRequest("/topics", "topics", topic, values)}
      onSubmit={async (input) => {
        if (topic) {
          await saveChanges(topic, changesIn(form, input, toSend), (changes) =>
            api.topics.update(topic.id, changes),
          )
        } else await api.topics.create(toSend(input))
        onChanged()
        say(topic ? "Topic saved" : "Topic created")
        onClose()
      }}
    >
      {topic && <TopicFacts topic={topic} />}
      <TextField label="Name" hint="Recipients see it." {...fieldOf(form, "name")} autoFocus />
      <TextField label="Description" optional {...fieldOf(form, "description")} />
      <Controller
        control={form.control}
        name="default"
        render={({ field }) => (
          <SelectField
            label="Who gets it"
            hint={
              topic && field.value !== topic.default
                ? "Changes at once for everyone who has not chosen."
                : "People keep what they chose."
            }
            value={field.value}
            onChange={field.onChange}
            options={TOPIC_DEFAULTS.map((choice) => [choice, DEFAULTS[choice]] as const)}
          />
        )}
      />
    </Form>
  )
}

const TopicFacts = ({ topic }: { topic: Topic }) => (
  <Facts facts={[["ID", <Mono key="id" text={topic.id} copy />]]} />
)
