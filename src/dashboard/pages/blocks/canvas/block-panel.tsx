import { HEADING_LEVELS, SPACER_SIZES } from "../../../../worker/campaigns/blocks/contract.ts"
import { Field, TextAreaField } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import type { Draft } from "../draft/draft.ts"
import { LookFields, NumberField } from "../look/look-fields.tsx"
import { useBlockActions } from "./canvas-context.ts"
import { ColumnsLayout } from "./columns-layout.tsx"
import { MergeInput } from "./merge-menu.tsx"
import { UploadButton } from "./upload-button.tsx"

export interface PanelProps {
  block: Draft
  problems: Record<string, string>
  mergeFields: readonly string[]
}

interface FormProps extends PanelProps {
  update(changes: Record<string, unknown>): void
}

/** What has no place on the canvas: where a block leads, its size, its color. */
export function BlockPanel(props: PanelProps) {
  const { block } = props
  const actions = useBlockActions()
  const form = { ...props, update: (changes: object) => actions.update(block.key, { ...changes }) }
  return (
    <div className="grid gap-3">
      <Fields {...form} />
      {block.kind !== "spacer" && <LookFields {...form} />}
    </div>
  )
}

function Fields(props: FormProps) {
  const { block, problems, update } = props
  switch (block.kind) {
    case "heading":
      return (
        <SelectField
          label="Level"
          value={String(block.level)}
          onChange={(level) => update({ level: Number(level) })}
          options={HEADING_LEVELS.map(String)}
        />
      )
    case "button":
      return <Address label="Link URL" name="url" {...props} />
    case "image":
      return (
        <>
          {block.url !== "" && <UploadButton blockKey={block.key} label="Replace the image" />}
          <Address label="Image URL" name="url" {...props} />
          <Address label="Link URL" name="href" optional {...props} />
        </>
      )
    case "spacer":
      return (
        <NumberField
          label="Height in pixels"
          value={block.size}
          {...SPACER_SIZES}
          error={problems.size}
          onChange={(size) => update({ size: size ?? SPACER_SIZES.min })}
        />
      )
    case "html":
      return <HtmlFields {...props} html={block.html} text={block.text} />
    case "columns":
      return <ColumnsLayout block={block} />
    default:
      return null
  }
}

function HtmlFields({
  html,
  text = "",
  problems,
  update,
}: FormProps & { html: string; text: string | undefined }) {
  const rows = { rows: 12, className: "font-mono text-xs", spellCheck: false }
  return (
    <>
      <TextAreaField
        label="HTML"
        error={problems.html}
        hint="Scripts and forms are left out"
        {...rows}
        value={html}
        onChange={({ target }) => update({ html: target.value })}
      />
      <TextAreaField
        label="Plain text"
        optional
        error={problems.text}
        hint="Leave empty to generate it from the HTML"
        value={text}
        onChange={({ target }) => update({ text: target.value || undefined })}
      />
    </>
  )
}

function Address({
  label,
  name,
  optional,
  block,
  update,
  problems,
  mergeFields,
}: FormProps & { label: string; name: "url" | "href"; optional?: boolean }) {
  return (
    <Field label={label} optional={Boolean(optional)} error={problems[name]}>
      {(control) => (
        <MergeInput
          {...control}
          type="url"
          inputMode="url"
          placeholder="https://"
          fields={mergeFields}
          value={(block as unknown as Record<string, string | undefined>)[name] ?? ""}
          onText={(text) => update({ [name]: text === "" && optional ? undefined : text.trim() })}
        />
      )}
    </Field>
  )
}
