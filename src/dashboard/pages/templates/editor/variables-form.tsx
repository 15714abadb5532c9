import { Trash2 } from "lucide-react"
import { VARIABLE_TYPES, type VariablesSchema } from "../../../../worker/templates/contract.ts"
import { Button, IconButton } from "../../../ui/button.tsx"
import { Field, TextField, TextInput } from "../../../ui/form/field.tsx"
import { Select, SelectField } from "../../../ui/menu/select.tsx"

type Variable = VariablesSchema["variables"][number]

interface Props {
  variables: readonly Variable[]
  used: readonly string[]
  problems: Record<string, string>
  onChange(variables: Variable[]): void
}

/** What a template declares: names, types, and defaults for missing values. */
export function VariablesForm({ variables, used, problems, onChange }: Props) {
  const declared = new Set(variables.map(({ name }) => name))
  const undeclared = used.filter((name) => !declared.has(name))
  const set = (at: number, changes: Partial<Record<keyof Variable, unknown>>) =>
    onChange(variables.map((one, index) => (index === at ? changed(one, changes) : one)))
  return (
    <div className="grid gap-3">
      <p className="text-muted">
        Variables without a default are required. Without a type, any value is accepted.
      </p>
      {variables.map((variable, at) => (
        <VariableRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
          key={at}
          variable={variable}
          unused={!used.includes(variable.name)}
          problem={problems[at]}
          onChange={(changes) => set(at, changes)}
          onRemove={() => onChange(variables.filter((_, index) => index !== at))}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button small onClick={() => onChange([...variables, { name: "" }])}>
          Declare a variable
        </Button>
        {undeclared.slice(0, 10).map((name) => (
          <Button small key={name} onClick={() => onChange([...variables, { name }])}>
            Declare {name}
          </Button>
        ))}
      </div>
    </div>
  )
}

function VariableRow({
  variable,
  unused,
  problem,
  onChange,
  onRemove,
}: {
  variable: Variable
  unused: boolean
  problem: string | undefined
  onChange(changes: Partial<Record<keyof Variable, unknown>>): void
  onRemove(): void
}) {
  const { name, type, default: value } = variable
  const setDefault = (text: string) => onChange({ default: asDefault(text, type) })
  return (
    <div className="grid gap-2 rounded-md border p-3 sm:grid-cols-[2fr_1fr_2fr_auto] sm:items-start">
      <TextField
        label="Name"
        error={problem}
        hint={unused ? "Not used yet" : undefined}
        className="font-mono text-xs"
        value={name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <SelectField
        label="Type"
        value={(type ?? "") as NonNullable<typeof type> | ""}
        onChange={(next) => {
          const text = value === undefined ? "" : String(value)
          onChange({ type: next || undefined, default: asDefault(text, next || undefined) })
        }}
        options={[["", "Any"], ...VARIABLE_TYPES.map((one) => [one, one] as const)]}
      />
      <Field label="Default">
        {(control) =>
          type === "boolean" ? (
            <Select
              {...control}
              value={value === undefined ? "" : String(value)}
              onChange={setDefault}
              options={[["", "None"], "true", "false"]}
            />
          ) : (
            <TextInput
              {...control}
              type={type === "number" ? "number" : "text"}
              step="any"
              placeholder="None (required)"
              value={value === undefined ? "" : String(value)}
              onChange={(event) => setDefault(event.target.value)}
            />
          )
        }
      </Field>
      <IconButton label={`Remove ${name}`} onClick={onRemove} className="sm:mt-6">
        <Trash2 size={14} aria-hidden />
      </IconButton>
    </div>
  )
}

function asDefault(text: string, type: Variable["type"]) {
  if (text === "") return undefined
  if (type === "number") return Number.isFinite(Number(text)) ? Number(text) : undefined
  if (type === "boolean") return text === "true"
  return text
}

const changed = (variable: Variable, changes: object) =>
  Object.fromEntries(
    Object.entries({ ...variable, ...changes }).filter(([, value]) => value !== undefined),
  ) as Variable
