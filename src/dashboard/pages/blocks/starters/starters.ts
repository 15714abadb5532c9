import { announcement, newsletter, plainLetter, productUpdate } from "./news.ts"
import { sale, winBack } from "./offers.ts"
import { invitation, survey, thankYou, welcome } from "./people.ts"
import type { Starter } from "./starter.ts"

export type { Starter } from "./starter.ts"

export const STARTERS: readonly Starter[] = [
  announcement,
  newsletter,
  productUpdate,
  welcome,
  invitation,
  sale,
  survey,
  thankYou,
  winBack,
  plainLetter,
]
