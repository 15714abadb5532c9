import { type UseFormReturn, useFieldArray } from "react-hook-form"
import { ADDRESS_FIELD, FIELD_TYPES } from "../../../worker/forms/field-names.ts"
import { sentence } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Switch, TextAreaField, TextField } from "../../ui/form/field.tsx"
import { fieldOf } from "../../ui/form/form.tsx"
import { RowMenu } from "../../ui/menu/row-menu.tsx"
import { SelectField } from "../../ui/menu/select.tsx"
import { Card, Section } from "../../ui/page.tsx"
import { type FieldValues, toName, type Values } from "./values.ts"

const EMPTY: FieldValues = { name: "", label: "", required: false, type: "text" }

/** What the form asks for. The address is always asked for. */
export function FormFields({ form }: { form: UseFormReturn<Values> }) {
  const { fields, append, move, remove } = useFieldArray({ control: form.control, name: "fields" })
  const error = form.formState.errors.fields
  return (
    <Section
      title="Fields"
      about="firstName and lastName are the contact's. Others are properties."
      actions={
        <Button small onClick={() => append(EMPTY)}>
          Add field
        </Button>
      }
    >
      {fields.map(({ id }, index) => (
        <FieldCard
          key={id}
          form={form}
          index={index}
          menu={[
            index > 0 && { label: "Move up", onSelect: () => move(index, index - 1) },
            index < fields.length - 1 && {
              label: "Move down",
              onSelect: () => move(index, index + 1),
            },
            form.getValues(`fields.${index}.name`) !== ADDRESS_FIELD && {
              label: "Remove",
              danger: true,
              onSelect: () => remove(index),
            },
          ]}
        />
      ))}
      {error?.message && (
        <p role="alert" className="text-failed">
          {error.message}
        </p>
      )}
    </Section>
  )
}

interface CardProps {
  form: UseFormReturn<Values>
  index: number
  menu: React.ComponentProps<typeof RowMenu>["items"]
}

function FieldCard({ form, index, menu }: CardProps) {
  const at = `fields.${index}` as const
  const field = form.watch(at)
  const errors = form.formState.errors.fields?.[index]
  const isAddress = field.name === ADDRESS_FIELD
  const set = (changes: Partial<FieldValues>) =>
    form.setValue(at, { ...form.getValues(at), ...changes }, { shouldDirty: true })
  return (
    <Card className="grid gap-3 p-4">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 gap-3 sm:grid-cols-2">
          <TextField
            label="Label"
            {...fieldOf(form, `${at}.label`, {
              onBlur: ({ target }) => {
                if (form.getValues(`${at}.name`) === "") set({ name: toName(target.value) })
              },
            })}
          />
          <TextField
            label="Saved as"
            {...fieldOf(form, `${at}.name`)}
            readOnly={isAddress}
            className="font-mono text-xs read-only:text-muted"
            autoCapitalize="none"
            spellCheck={false}
          />
        </div>
        {menu.some(Boolean) && <RowMenu name={field.label || "new field"} items={menu} />}
      </div>
      {!isAddress && (
        <div className="flex flex-wrap items-end gap-4">
          <SelectField
            label="Type"
            error={errors?.type?.message}
            className="w-36!"
            value={field.type}
            onChange={(type) =>
              set({ type, options: type === "select" ? (field.options ?? []) : undefined })
            }
            options={FIELD_TYPES.map((one) => [one, sentence(one)] as const)}
          />
          <div className="pb-1">
            <Switch
              label="Required"
              checked={field.required}
              onChange={(required) => set({ required })}
            />
          </div>
        </div>
      )}
      {field.type === "select" && (
        <TextAreaField
          label="Options"
          hint="One per line"
          error={messageOf(errors?.options)}
          defaultValue={field.options?.join("\n")}
          onChange={({ target }) => set({ options: linesOf(target.value) })}
        />
      )}
    </Card>
  )
}

export const linesOf = (text: string) =>
  text
    .split("\n")
    .map((one) => one.trim())
    .filter(Boolean)

/** Of a list, or of the first of its entries. */
export function messageOf(errors: unknown): string | undefined {
  const list = errors as { message?: string } & { message?: string }[]
  return list?.message ?? Object.values(list ?? {}).find((one) => one?.message)?.message
}
