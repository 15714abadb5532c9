import { useState } from "react"
import type { Campaign, ContactBook, Domain } from "../../../../client/types.ts"
import { PREHEADER_CHARACTERS } from "../../../../worker/campaigns/blocks/preheader.ts"
import { Field, TextField } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { counted } from "../../../ui/numbers.ts"
import { Card } from "../../../ui/page.tsx"
import { Fold } from "../../blocks/canvas/fold.tsx"
import { MergeInput } from "../../blocks/canvas/merge-menu.tsx"
import { AudienceWords } from "./audience.tsx"
import { SegmentSelect } from "./segment-select.tsx"
import { SenderFields } from "./sender-fields.tsx"
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

/** Who gets the campaign, folded away, and what the inbox shows of it. */
export function Envelope(props: Props) {
  const { content, invalid, books, domain } = props
  const book = books.find(({ id }) => id === content.bookId)?.name
  const [isOpen] = useState(
    !book || domain?.status !== "verified" || Object.keys(invalid).length > 0,
  )
  return (
    <div className="grid min-w-0 gap-3">
      <Fold
        isOpen={isOpen}
        title={
          <span className="inline-flex max-w-[calc(100%-24px)] items-baseline gap-3 align-bottom">
            <span className="whitespace-nowrap">Recipients and sender</span>
            <span className="min-w-0 truncate font-normal text-muted">
              {[book, content.from].filter(Boolean).join(" · ")}
            </span>
          </span>
        }
      >
        <div className="grid items-start gap-x-6 gap-y-3 lg:grid-cols-2">
          <div className="grid min-w-0 gap-3">
            <Audience {...props} />
          </div>
          <div className="grid gap-3 sm:grid-cols-2">
            <SenderFields {...props} errors={invalid} />
          </div>
        </div>
      </Fold>
      <Card className="grid items-start gap-x-6 gap-y-3 p-4 md:grid-cols-2">
        <InboxLine {...props} />
      </Card>
    </div>
  )
}

function Audience({ campaign, content, update, invalid, books }: Props) {
  const isKnown = books.some(({ id }) => id === content.bookId)
  return (
    <>
      <TextField
        label="Name"
        hint="Only your team sees it."
        error={invalid.name}
        value={content.name}
        onChange={(event) => update({ name: event.target.value })}
      />
      <SelectField
        label="Contact book"
        error={invalid.bookId}
        hint={<AudienceWords campaign={campaign} />}
        value={content.bookId}
        onChange={(bookId) => update({ bookId, segmentId: null })}
        options={[
          ...(isKnown ? [] : [[content.bookId, "Deleted book"] as const]),
          ...books.map(({ id, name }) => [id, name] as const),
        ]}
      />
      <SegmentSelect content={content} update={update} error={invalid.segmentId} />
      <TopicSelect
        topicId={content.topicId}
        hint="Only subscribed contacts who want this topic get the campaign."
        none="None: all subscribed contacts"
        update={update}
      />
    </>
  )
}

/** Longer subjects are cut off on phones. */
const SUBJECT_CHARACTERS = 60

function InboxLine({ content, update, invalid, fields }: Props) {
  return (
    <>
      <Field
        label="Subject"
        error={invalid.subject}
        hint={countOf(content.subject, SUBJECT_CHARACTERS)}
      >
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
        hint={
          content.preheader
            ? countOf(content.preheader, PREHEADER_CHARACTERS)
            : "Shown beside the subject in the inbox. Leave empty to use the first words of the text."
        }
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
    </>
  )
}

/** "48 characters", and how many inboxes show if it is longer. */
function countOf(text: string, shown: number): string {
  const count = counted(text.length, "character")
  return text.length > shown ? `${count}. Inboxes show about the first ${shown}.` : count
}
