import type { Work } from "../../platform/context.ts"
import { purgeOlder } from "../../teams/purge.ts"
import { REFUSED_CALL_DAYS } from "./contract.ts"
import { refusedCalls } from "./table.ts"

export const purgeRefusedCalls = (work: Work) =>
  purgeOlder(work, refusedCalls, "refusedCall", REFUSED_CALL_DAYS)
