import { Braces } from "lucide-react"
import { type ComponentProps, createContext, useContext, useRef } from "react"
import { IconButton } from "../../../ui/button.tsx"
import { TextInput } from "../../../ui/form/field.tsx"
import { Menu } from "../../../ui/menu/menu.tsx"

const writtenField = (field: string) => `{{ ${field} }}`

/** What the menu is called where it inserts something else than a contact's values. */
export const InsertLabel = createContext("Insert a merge field")

/** Inserts a contact's value, such as the first name. */
export function MergeMenu({
  fields,
  onInsert,
}: {
  fields: readonly string[]
  onInsert(text: string): void
}) {
  const label = useContext(InsertLabel)
  return (
    <Menu
      trigger={
        <IconButton label={label}>
          <Braces size={14} aria-hidden />
        </IconButton>
      }
      items={fields.map((field) => ({
        label: <code className="font-mono text-xs">{field}</code>,
        onSelect: () => onInsert(writtenField(field)),
      }))}
    />
  )
}

/** A text input in which merge fields may stand. */
export function MergeInput({
  fields,
  value,
  onText,
  ...props
}: Omit<ComponentProps<"input">, "value"> & {
  fields: readonly string[]
  value: string
  onText(text: string): void
}) {
  const input = useRef<HTMLInputElement>(null)
  const insert = (field: string) => {
    const at = input.current?.selectionStart ?? value.length
    const to = input.current?.selectionEnd ?? at
    onText(`${value.slice(0, at)}${field}${value.slice(to)}`)
    setTimeout(() => {
      input.current?.focus()
      input.current?.setSelectionRange(at + field.length, at + field.length)
    })
  }
  return (
    <div className="flex gap-1">
      <TextInput
        {...props}
        ref={input}
        value={value}
        onChange={(event) => onText(event.target.value)}
      />
      <MergeMenu fields={fields} onInsert={insert} />
    </div>
  )
}
