import { type ComponentProps, type ReactNode, useId } from "react"
import { BOX } from "../box.ts"
import { cx } from "../cx.ts"

export function TextInput({ className, ...props }: ComponentProps<"input">) {
  return <input type="text" {...props} className={cx(BOX, "h-8", className)} />
}

export function TextArea({ className, ...props }: ComponentProps<"textarea">) {
  return <textarea rows={4} {...props} className={cx(BOX, "py-1.5", className)} />
}

export interface FieldWords {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  optional?: boolean | undefined
}

interface FieldProps extends FieldWords {
  /** The control, which gets the id and the aria attributes. */
  children(control: {
    id: string
    "aria-invalid": boolean
    "aria-describedby": string | undefined
  }): ReactNode
}

/** A label, a control, a hint, and what is wrong with the value. */
export function Field({ label, hint, error, optional, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const describedBy = [error && errorId, hint && hintId].filter(Boolean).join(" ") || undefined
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
        {optional && <span className="ml-1 font-normal text-muted">(optional)</span>}
      </label>
      {children({ id, "aria-invalid": Boolean(error), "aria-describedby": describedBy })}
      {error && (
        <p id={errorId} role="alert" className="text-xs text-failed wrap-anywhere">
          {error}
        </p>
      )}
      {hint && (
        <p id={hintId} className="text-xs text-muted wrap-anywhere">
          {hint}
        </p>
      )}
    </div>
  )
}

export const TextField = ({
  label,
  hint,
  error,
  optional,
  ...input
}: FieldWords & ComponentProps<"input">) => (
  <Field {...{ label, hint, error, optional }}>
    {(control) => <TextInput {...control} {...input} />}
  </Field>
)

export const TextAreaField = ({
  label,
  hint,
  error,
  optional,
  ...input
}: FieldWords & ComponentProps<"textarea">) => (
  <Field {...{ label, hint, error, optional }}>
    {(control) => <TextArea {...control} {...input} />}
  </Field>
)

/** A switch with its label beside it. */
export function Switch({
  label,
  hint,
  checked,
  onChange,
  disabled,
}: {
  label: string
  hint?: ReactNode
  checked: boolean
  onChange(checked: boolean): void
  disabled?: boolean
}) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        id={id}
        disabled={disabled}
        onClick={() => onChange(!checked)}
        className="group relative mt-0.5 h-4 w-7 shrink-0 rounded-full border border-muted bg-sunken aria-checked:border-primary aria-checked:bg-primary disabled:opacity-50"
      >
        <span className="block size-3 translate-x-px rounded-full bg-muted transition-transform group-aria-checked:translate-x-[13px] group-aria-checked:bg-on-primary" />
      </button>
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && <p className="text-xs text-muted wrap-anywhere">{hint}</p>}
      </div>
    </div>
  )
}
