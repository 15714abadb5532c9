import { Trash2 } from "lucide-react"
import { useState } from "react"
import { Button, IconButton } from "../../../ui/button.tsx"
import { TextInput } from "../../../ui/form/field.tsx"
import { Select } from "../../../ui/menu/select.tsx"

type Value = string | number | boolean
type Type = "text" | "number" | "yes or no"
interface Row {
  key: number
  name: string
  type: Type
  text: string
}

let keys = 0
const typeOf = (value: Value): Type =>
  typeof value === "string" ? "text" : typeof value === "number" ? "number" : "yes or no"

const toRow = ([name, value]: [string, Value]): Row => ({
  key: ++keys,
  name,
  type: typeOf(value),
  text: String(value),
})

/** No schema accepts it, so that a row with a problem is not saved. */
const INVALID = Number.NaN

/** Where a region writes a comma before decimals, keypads may have no point. */
const hasDecimalComma = (0.5).toLocaleString().includes(",")
const toNumber = (text: string) =>
  text.trim() === "" ? INVALID : Number(hasDecimalComma ? text.replace(",", ".") : text)

function problemOf({ key, name, type, text }: Row, rows: readonly Row[]): string | undefined {
  if (!name) return undefined
  if (rows.find((row) => row.name === name)?.key !== key) return "Already used above"
  return type === "number" && !Number.isFinite(toNumber(text)) ? "Enter a number" : undefined
}

const toValue = ({ type, text }: Row): Value =>
  type === "number" ? toNumber(text) : type === "yes or no" ? text === "true" : text

const toValues = (rows: readonly Row[]): Record<string, Value> =>
  Object.fromEntries(
    rows
      .filter(({ name }) => name)
      .map((row) => [row.name, problemOf(row, rows) ? INVALID : toValue(row)]),
  )

/** The properties of a contact, as rows of names and values. Rows without a name do not count. */
export function PropertiesField({
  value,
  onChange,
  error,
}: {
  value: Record<string, Value>
  onChange(value: Record<string, Value>): void
  error: string | undefined
}) {
  const [rows, setRows] = useState(() => Object.entries(value).map(toRow))
  const keep = (next: Row[]) => {
    setRows(next)
    onChange(toValues(next))
  }
  const set = (key: number, changes: Partial<Row>) =>
    keep(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">Properties</legend>
      {rows.map((row) => (
        <div key={row.key} className="grid gap-1">
          <div className="flex gap-2">
            <TextInput
              aria-label="Property name"
              className="font-mono text-xs"
              value={row.name}
              onChange={(event) => set(row.key, { name: event.target.value })}
            />
            <Select
              aria-label={`Type of ${row.name}`}
              className="max-w-26 shrink-0 sm:max-w-32"
              value={row.type}
              options={["text", "number", "yes or no"]}
              onChange={(type) => set(row.key, { type })}
            />
            {row.type === "yes or no" ? (
              <Select
                aria-label={`Value of ${row.name}`}
                value={String(row.text === "true")}
                options={[
                  ["true", "Yes"],
                  ["false", "No"],
                ]}
                onChange={(text) => set(row.key, { text })}
              />
            ) : (
              <TextInput
                aria-label={`Value of ${row.name}`}
                inputMode={row.type === "number" ? "decimal" : "text"}
                value={row.text}
                onChange={(event) => set(row.key, { text: event.target.value })}
              />
            )}
            <IconButton
              label={`Remove ${row.name}`}
              onClick={() => keep(rows.filter(({ key }) => key !== row.key))}
            >
              <Trash2 size={14} aria-hidden />
            </IconButton>
          </div>
          {error && problemOf(row, rows) && (
            <p role="alert" className="text-xs text-failed">
              {problemOf(row, rows)}
            </p>
          )}
        </div>
      ))}
      {error && !rows.some((row) => problemOf(row, rows)) && (
        <p role="alert" className="text-xs text-failed">
          {error}
        </p>
      )}
      <div>
        <Button small onClick={() => setRows([...rows, toRow(["", ""])])}>
          Add a property
        </Button>
      </div>
    </fieldset>
  )
}
