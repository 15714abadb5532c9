import { type ReactNode, useId } from "react"
import { cx } from "../cx.ts"

interface Props<T> {
  options: readonly T[]
  /** The name of the chosen one. */
  value: string
  onChange(option: T): void
  /** The columns of the cards. */
  className: string
  children(option: T): ReactNode
}

/** What somebody starts with: one card can be chosen. */
export function RadioCards<T extends { name: string }>({
  options,
  value,
  onChange,
  className,
  children,
}: Props<T>) {
  const name = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium">Start with</legend>
      <div className={cx("grid gap-3", className)}>
        {options.map((option) => (
          <label
            key={option.name}
            className={cx(
              "relative block min-w-0 cursor-pointer overflow-hidden rounded-lg border bg-raised has-focus-visible:outline-2 has-focus-visible:outline-focus",
              option.name === value && "ring-2 ring-focus",
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.name}
              checked={option.name === value}
              onChange={() => onChange(option)}
              className="sr-only"
            />
            {children(option)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export const CardText = ({ name, about }: { name: string; about: string }) => (
  <span className="block p-2.5">
    <span className="block font-medium">{name}</span>
    <span className="block text-xs text-muted">{about}</span>
  </span>
)
