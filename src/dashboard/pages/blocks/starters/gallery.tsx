import { useMemo } from "react"
import { CardText, RadioCards } from "../../../ui/form/radio-cards.tsx"
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
  ...choice
}: Props<T>) {
  return (
    <RadioCards
      {...choice}
      options={starters}
      className="grid-cols-2 sm:grid-cols-3 lg:grid-cols-4"
    >
      {(starter) => (
        <>
          <Thumbnail starter={starter} htmlOf={htmlOf} />
          <span className="block border-t">
            <CardText {...starter} />
          </span>
        </>
      )}
    </RadioCards>
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
