import { cartLeft, trialEnds, winBack } from "./customers.ts"
import type { SequenceStarter } from "./starter.ts"
import { confirmAndWelcome, welcomeSeries } from "./subscribers.ts"

export const SEQUENCE_STARTERS: readonly SequenceStarter[] = [
  welcomeSeries,
  confirmAndWelcome,
  trialEnds,
  cartLeft,
  winBack,
]
