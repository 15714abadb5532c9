import { ChevronDown } from "lucide-react"
import { Suspense, useState } from "react"
import { lazy } from "../../app/lazy.ts"
import { BOX } from "../box.ts"
import { cx } from "../cx.ts"
import { Field, type FieldWords } from "../form/field.tsx"

interface SelectProps<V extends string> {
  value: V
  onChange(value: V): void
  options: readonly (V | readonly [value: V, label: string])[]
  id?: string
  className?: string
  "aria-label"?: string
  "aria-invalid"?: boolean
  "aria-describedby"?: string | undefined
}

const SelectList = lazy(() => import("./select-list.tsx"))

const optionsOf = <V extends string>({ options }: Pick<SelectProps<V>, "options">) =>
  options.map((option) =>
    typeof option === "string" ? { value: option, label: option } : toOption(option),
  )

const toOption = <V extends string>([value, label]: readonly [V, string]) => ({ value, label })

/** One choice of several. The code of the list is loaded when it is first opened. */
export function Select<V extends string>(props: SelectProps<V>) {
  const { value, onChange, options, className, ...named } = props
  const [wanted, setWanted] = useState(false)
  const label = optionsOf(props).find((option) => option.value === value)?.label
  const trigger = (
    <button
      {...named}
      type="button"
      className={cx(BOX, "flex h-8 items-center justify-between gap-2 text-left", className)}
    >
      <span className="truncate">{label ?? value}</span>
      <ChevronDown size={14} aria-hidden className="shrink-0 text-muted" />
    </button>
  )
  const closed = (
    <button
      {...trigger.props}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      onClick={() => setWanted(true)}
      // Whoever went on before the list was there does not want it any more.
      onBlur={() => setWanted(false)}
      onKeyDown={(event) => {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") setWanted(true)
      }}
    />
  )
  if (!wanted) return closed
  return (
    <Suspense fallback={closed}>
      <SelectList
        trigger={trigger}
        value={value}
        options={optionsOf(props)}
        onChange={(value) => onChange(value as V)}
      />
    </Suspense>
  )
}

export const SelectField = <V extends string>({
  label,
  hint,
  error,
  optional,
  ...select
}: FieldWords & SelectProps<V>) => (
  <Field {...{ label, hint, error, optional }}>
    {(control) => <Select {...control} {...select} />}
  </Field>
)
