import type { Segment } from "../../../client/types.ts"
import { number } from "../../ui/numbers.ts"

export const CountOf = ({ segment: { contactCount } }: { segment: Segment }) =>
  contactCount === null ? <span className="text-muted">Counting…</span> : number(contactCount)
