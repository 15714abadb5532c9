import type { Campaign, ContactBook, Domain } from "../../../client/types.ts"
import { Field, TextInput } from "../../ui/field.tsx"
import { Card } from "../../ui/page.tsx"
import { Select } from "../../ui/select.tsx"
import { MergeInput } from "../blocks/merge-menu.tsx"
import { AudienceWords } from "./audience.tsx"
import { SegmentSelect } from "./segment-select.tsx"
import { TopicSelect } from "./topic-select.tsx"
import type { Content, Update } from "./use-draft.ts"

interface Props {
  content: Content
  update: Update
  invalid: Record<string, string>
  books: readonly ContactBook[]
  domain: Domain | undefined
  fields: readonly string[]
  /** As the server knows it. */
  campaign: Campaign
}

export function Envelope(props: Props) {
  const { campaign, content, update, invalid, books, domain, fields } = props
  const sender =
    invalid.from ??
    (domain?.status === "verified" ? undefined : "Use an address on a verified domain")
  return (
    <Card className="grid gap-3 p-4">
      <Field label="Name" hint="Only your team sees it." error={invalid.name}>
        {(control) => (
          <TextInput
            {...control}
            value={content.name}
            onChange={(event) => update({ name: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Contact book"
        error={invalid.bookId}
        hint={<AudienceWords campaign={campaign} />}
      >
        {(control) => (
          <Select
            {...control}
            value={content.bookId}
            onChange={(bookId) => update({ bookId, segmentId: null })}
            options={[
              ...(books.some(({ id }) => id === content.bookId)
                ? []
                : [[content.bookId, "Deleted book"] as const]),
              ...books.map(({ id, name }) => [id, name] as const),
            ]}
          />
        )}
      </Field>
      <SegmentSelect content={content} update={update} error={invalid.segmentId} />
      <TopicSelect content={content} update={update} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="From" error={sender}>
          {(control) => (
            <TextInput
              {...control}
              value={content.from}
              onChange={(event) => update({ from: event.target.value })}
            />
          )}
        </Field>
        <Field label="Reply to" optional error={invalid.replyTo}>
          {(control) => (
            <TextInput
              {...control}
              value={content.replyTo ?? ""}
              onChange={(event) => update({ replyTo: event.target.value || null })}
            />
          )}
        </Field>
      </div>
      <Field label="Subject" error={invalid.subject}>
        {(control) => (
          <MergeInput
            {...control}
            fields={fields}
            value={content.subject}
            onText={(subject) => update({ subject })}
          />
        )}
      </Field>
      <Field
        label="Preheader"
        optional
        hint="Shown beside the subject in the inbox. Empty: the first words of the text."
        error={invalid.preheader}
      >
        {(control) => (
          <MergeInput
            {...control}
            fields={fields}
            value={content.preheader ?? ""}
            onText={(preheader) => update({ preheader: preheader || null })}
          />
        )}
      </Field>
    </Card>
  )
}
