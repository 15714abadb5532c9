import { sql } from "drizzle-orm"
import type { Places } from "../db/fixed.ts"

/** What the statements of a claim bind. */
export interface ClaimValues {
  provider: string
  claim: string
  now: number
  dueBy: number
  lease: number
  /** The most emails that the claim takes. */
  size: number
  /** Between two messages; 0 without a rate. */
  intervalMs: number
  /** How far ahead the lane takes slots. */
  aheadMs: number
  /** The slots are after this time; 0 without a rate, which leaves the line as it is. */
  slotsFrom: number
  /** JSON: the teams whose mail may be due. */
  teams: string
  /** How many scheduled emails of each team the claim releases. */
  releasedOfEach: number
  /** How many emails of each team the claim takes, where the choice says so. */
  share: number
  /** JSON: `EmailRef[]`, where the choice names its emails. */
  refs: string
}

const NAMES = [
  ...["provider", "claim", "now", "dueBy", "lease", "size", "intervalMs", "aheadMs"],
  ...["slotsFrom", "teams", "releasedOfEach", "share", "refs"],
] as (keyof ClaimValues)[]

/** The places of these values in the text of the statements. */
export const p = Object.fromEntries(NAMES.map((name) => [name, sql.placeholder(name)])) as Places<
  keyof ClaimValues
>
