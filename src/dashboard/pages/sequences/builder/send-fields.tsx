import { useQuery } from "@tanstack/react-query"
import { Link } from "../../../app/link.tsx"
import { Button } from "../../../ui/button.tsx"
import { Field } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { counted } from "../../../ui/numbers.ts"
import { MergeInput } from "../../blocks/canvas/merge-menu.tsx"
import { fieldsOf, sampleQuery } from "../../campaigns/data.ts"
import { templateChoicesQuery } from "../data.ts"
import { issueOf } from "../use-sequence.ts"
import type { StepFormProps } from "./step-form.tsx"

type SendStep = Extract<StepFormProps["step"], { kind: "send" }>

const OWN = ""

/** The subject of a mail, and where its content comes from. */
export function SendFields({ step, bookId, issues, set, onEditMail }: StepFormProps<SendStep>) {
  const { templateId, blocks } = step
  const { data: sample = [] } = useQuery(sampleQuery(bookId))
  const { data: templates = [] } = useQuery(templateChoicesQuery)
  const fields = fieldsOf(sample, null)
  const isGone = templateId !== undefined && !templates.some(({ id }) => id === templateId)
  const choose = (id: string) =>
    set(
      id === OWN
        ? { templateId: undefined, blocks: blocks ?? [] }
        : { templateId: id, blocks: undefined },
    )
  return (
    <>
      <Field
        label="Subject"
        error={step.subject === "" ? "Enter a subject" : issueOf(issues, "subject")}
      >
        {(control) => (
          <MergeInput
            {...control}
            fields={fields}
            value={step.subject}
            onText={(subject) => set({ subject }, "subject")}
          />
        )}
      </Field>
      <Field label="Preheader" optional error={issueOf(issues, "preheader")}>
        {(control) => (
          <MergeInput
            {...control}
            fields={fields}
            value={step.preheader ?? ""}
            onText={(preheader) => set({ preheader: preheader || null }, "preheader")}
          />
        )}
      </Field>
      <SelectField
        label="Content"
        hint={
          templateId !== undefined && !isGone ? (
            <Link to={`/templates/${templateId}`} className="underline">
              Open the template
            </Link>
          ) : undefined
        }
        error={isGone && templates.length > 0 ? "This template was deleted" : undefined}
        value={templateId ?? OWN}
        onChange={choose}
        options={[
          [OWN, "Written here"],
          ...(isGone ? [[templateId, "Another template"] as const] : []),
          ...templates.map(({ id, name }) => [id, `Template “${name}”`] as const),
        ]}
      />
      {blocks && (
        <div className="grid justify-items-start gap-1">
          <Button onClick={onEditMail}>Edit content</Button>
          <p className="text-xs text-muted">{counted(blocks.length, "block")}</p>
          {issueOf(issues, "blocks") && (
            <p role="alert" className="text-xs text-failed">
              {issueOf(issues, "blocks")?.startsWith("Choose at least")
                ? "Write the email first"
                : "Fix the marked block of the email"}
            </p>
          )}
        </div>
      )}
    </>
  )
}
