import { ALIGNMENTS, MAX_SPACE, WIDTHS } from "../../../../worker/campaigns/blocks/contract.ts"
import { DEFAULT_THEME } from "../../../../worker/campaigns/blocks/look.ts"
import { sentence } from "../../../ui/badge.tsx"
import { Button } from "../../../ui/button.tsx"
import { Field, TextField } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import type { Draft, Kind } from "../draft/draft.ts"

/** The fields of a block's look, by kind, as the contract has them. */
const HAS: Record<"align" | "color" | "width", readonly Kind[]> = {
  align: ["heading", "text", "button", "image", "divider"],
  color: ["heading", "text", "button", "divider"],
  width: ["button", "image", "divider"],
}

interface LookProps {
  block: Draft
  problems: Record<string, string>
  update(changes: Record<string, unknown>): void
}

export function LookFields({ block, update, problems }: LookProps) {
  const values = block as unknown as Record<string, string | number | undefined>
  return (
    <div className="grid grid-cols-2 gap-3">
      {HAS.align.includes(block.kind) && (
        <Choice
          label="Align"
          value={values.align}
          options={ALIGNMENTS.map((one) => [one, sentence(one)] as const)}
          onChange={(align) => update({ align })}
        />
      )}
      {HAS.width.includes(block.kind) && (
        <Choice
          label="Width"
          value={values.width}
          options={WIDTHS.map((one) => [String(one), `${one} %`] as const)}
          onChange={(width) => update({ width: width && Number(width) })}
        />
      )}
      {HAS.color.includes(block.kind) && (
        <ColorField
          label="Color"
          value={values.color as string | undefined}
          standard={DEFAULT_THEME[block.kind === "button" ? "linkColor" : "textColor"]}
          onChange={(color) => update({ color })}
        />
      )}
      {(["spaceTop", "spaceBottom"] as const).map((name) => (
        <NumberField
          key={name}
          label={name === "spaceTop" ? "Space above" : "Space below"}
          value={values[name] as number | undefined}
          min={0}
          max={MAX_SPACE}
          error={problems[name]}
          onChange={(pixels) => update({ [name]: pixels })}
        />
      ))}
    </div>
  )
}

export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string | number | undefined
  options: readonly (readonly [string, string])[]
  onChange(value: string | undefined): void
}) {
  return (
    <SelectField
      label={label}
      value={String(value ?? "")}
      onChange={(value) => onChange(value || undefined)}
      options={[["", "Default"], ...options]}
    />
  )
}

export function NumberField({
  label,
  value,
  min,
  max,
  error,
  onChange,
}: {
  label: string
  value: number | undefined
  min: number
  max: number
  error?: string | undefined
  onChange(value: number | undefined): void
}) {
  return (
    <TextField
      label={label}
      error={error}
      type="number"
      min={min}
      max={max}
      placeholder="Default"
      value={value ?? ""}
      onChange={(event) =>
        onChange(event.target.value === "" ? undefined : Number(event.target.value))
      }
    />
  )
}

/** The browser's color picker. Without a color, the default applies. */
export function ColorField({
  label,
  value,
  standard,
  onChange,
}: {
  label: string
  value: string | undefined
  /** Shown until the author chooses a value. */
  standard: string
  onChange(value: string | undefined): void
}) {
  return (
    <Field label={label}>
      {(control) => (
        <span className="flex items-center gap-2">
          <input
            {...control}
            type="color"
            value={value ?? standard}
            onChange={(event) => onChange(event.target.value)}
            className="h-8 w-12 rounded-md border bg-raised p-0.5"
          />
          {value === undefined ? (
            <span className="text-xs text-muted">Default</span>
          ) : (
            <Button small kind="quiet" onClick={() => onChange(undefined)}>
              Reset
            </Button>
          )}
        </span>
      )}
    </Field>
  )
}
