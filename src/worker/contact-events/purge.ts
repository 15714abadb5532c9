import type { Work } from "../platform/context.ts"
import { purgeOlder } from "../teams/purge.ts"
import { EVENTS_KEPT_DAYS } from "./contract.ts"
import { contactEvents } from "./table.ts"

export const purgeContactEvents = (work: Work) =>
  purgeOlder(work, contactEvents, "event", EVENTS_KEPT_DAYS)
