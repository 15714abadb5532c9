import { CardText, RadioCards } from "../../ui/form/radio-cards.tsx"
import type { SequenceStarter } from "./starters/starter.ts"
import { SEQUENCE_STARTERS } from "./starters/starters.ts"

interface Props {
  empty: SequenceStarter
  value: string
  onChange(starter: SequenceStarter): void
}

/** Sequences to begin with. */
export default function StarterChoice({ empty, ...choice }: Props) {
  return (
    <RadioCards {...choice} options={[empty, ...SEQUENCE_STARTERS]} className="sm:grid-cols-2">
      {(starter) => <CardText {...starter} />}
    </RadioCards>
  )
}
