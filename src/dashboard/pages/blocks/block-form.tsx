import { Suspense } from "react"
import { HEADING_LEVELS, SPACER_SIZES } from "../../../worker/campaigns/blocks/contract.ts"
import { lazy } from "../../app/lazy.ts"
import { Field, TextInput } from "../../ui/field.tsx"
import { Select } from "../../ui/select.tsx"
import { ColumnsLayout } from "./columns-layout.tsx"
import type { Cell, Draft } from "./draft.ts"
import { actionsOf, useEditor } from "./editor-context.ts"
import { LookFields, NumberField } from "./look-fields.tsx"
import { MergeInput } from "./merge-menu.tsx"

const RichText = lazy(() => import("./rich-text.tsx"))

export interface FormProps<B extends Draft = Draft> {
  block: B
  update(changes: Record<string, unknown>): void
  problems: Record<string, string>
  fields: readonly string[]
}

export function BlockForm({ block }: { block: Draft }) {
  const editor = useEditor()
  const props = {
    update: (changes: Record<string, unknown>) => actionsOf(editor).update(block.key, changes),
    problems: editor.problems.get(block.key) ?? {},
    fields: editor.fields,
  }
  return (
    <fieldset className="grid gap-3 border-t p-3">
      <legend className="sr-only">The block's content and look</legend>
      {block.kind === "columns" ? (
        <ColumnsLayout block={block} />
      ) : (
        <Content block={block} {...props} />
      )}
      {block.kind !== "spacer" && <LookFields block={block} {...props} />}
    </fieldset>
  )
}

function Content({ block, ...props }: FormProps<Cell>) {
  switch (block.kind) {
    case "heading":
      return <HeadingForm block={block} {...props} />
    case "text":
      return (
        <Suspense fallback={<div className="h-32 rounded-md border" />}>
          <RichText
            html={block.html}
            fields={props.fields}
            problem={props.problems.html}
            onChange={(html) => props.update({ html })}
          />
        </Suspense>
      )
    case "button":
      return <ButtonForm block={block} {...props} />
    case "image":
      return <ImageForm block={block} {...props} />
    case "divider":
      return null
    case "spacer":
      return (
        <NumberField
          label="Height in pixels"
          value={block.size}
          {...SPACER_SIZES}
          error={props.problems.size}
          onChange={(size) => props.update({ size: size ?? SPACER_SIZES.min })}
        />
      )
  }
}

type Of<K extends Cell["kind"]> = FormProps<Extract<Cell, { kind: K }>>

function HeadingForm({ block, update, problems, fields }: Of<"heading">) {
  return (
    <div className="grid gap-3 sm:grid-cols-[1fr_96px]">
      <Field label="Text" error={problems.text}>
        {(control) => (
          <MergeInput
            {...control}
            autoFocus={block.text === ""}
            fields={fields}
            value={block.text}
            onText={(text) => update({ text })}
          />
        )}
      </Field>
      <Field label="Level">
        {(control) => (
          <Select
            {...control}
            value={String(block.level)}
            onChange={(level) => update({ level: Number(level) })}
            options={HEADING_LEVELS.map(String)}
          />
        )}
      </Field>
    </div>
  )
}

function ButtonForm({ block, update, problems, fields }: Of<"button">) {
  return (
    <>
      <Field label="Label" error={problems.label}>
        {(control) => (
          <MergeInput
            {...control}
            autoFocus={block.label === ""}
            fields={fields}
            value={block.label}
            onText={(label) => update({ label })}
          />
        )}
      </Field>
      <Address label="Link URL" name="url" {...{ block, update, problems, fields }} />
    </>
  )
}

function ImageForm({ block, update, problems, fields }: Of<"image">) {
  return (
    <>
      <Address label="Image URL" name="url" {...{ block, update, problems, fields }} />
      <Field
        label="Alternative text"
        error={problems.alt}
        hint="Describes the image. Leave empty if it is only decorative."
      >
        {(control) => (
          <TextInput
            {...control}
            value={block.alt}
            onChange={(event) => update({ alt: event.target.value })}
          />
        )}
      </Field>
      <Address label="Link URL" name="href" optional {...{ block, update, problems, fields }} />
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
  fields,
}: FormProps<Cell> & { label: string; name: "url" | "href"; optional?: boolean }) {
  return (
    <Field label={label} optional={Boolean(optional)} error={problems[name]}>
      {(control) => (
        <MergeInput
          {...control}
          type="url"
          inputMode="url"
          placeholder="https://"
          fields={fields}
          value={(block as unknown as Record<string, string | undefined>)[name] ?? ""}
          onText={(text) => update({ [name]: text === "" && optional ? undefined : text.trim() })}
        />
      )}
    </Field>
  )
}
