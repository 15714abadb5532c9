import { useId, useMemo } from "react"
import { cx } from "../../../ui/cx.ts"
import { MailPicture } from "../mail-picture.tsx"
import type { Starter } from "./starter.ts"

interface Props<T extends Starter> {
  starters: readonly T[]
  /** What a starter looks like. Stays the same function. */
  htmlOf(starter: T): string
  value: string
  onChange(starter: T): void
}

/** Messages to begin with, each with a picture. */
export default function StarterGallery<T extends Starter>({
  starters,
  htmlOf,
  value,
  onChange,
}: Props<T>) {
  const name = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium">Start with</legend>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4">
        {starters.map((starter) => (
          <label
            key={starter.name}
            className={cx(
              "relative block min-w-0 cursor-pointer overflow-hidden rounded-lg border bg-raised has-focus-visible:outline-2 has-focus-visible:outline-focus",
              starter.name === value && "ring-2 ring-focus",
            )}
          >
            <input
              type="radio"
              name={name}
              value={starter.name}
              checked={starter.name === value}
              onChange={() => onChange(starter)}
              className="sr-only"
            />
            <Thumbnail starter={starter} htmlOf={htmlOf} />
            <span className="block border-t p-2">
              <span className="block font-medium">{starter.name}</span>
              <span className="block text-xs text-muted">{starter.about}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Thumbnail<T extends Starter>({ starter, htmlOf }: { starter: T; htmlOf(one: T): string }) {
  const html = useMemo(() => htmlOf(starter), [starter, htmlOf])
  return (
    <div aria-hidden>
      <MailPicture square html={html} label="Preview" />
    </div>
  )
}
