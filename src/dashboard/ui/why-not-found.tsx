import { useQuery } from "@tanstack/react-query"
import { ID_ALPHABET, isId, timeOf } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import { installationQuery } from "../api/installation.ts"
import { queries, sessionQuery } from "../api/queries.ts"
import { useParam } from "../app/params.ts"
import { counted } from "./numbers.ts"
import { exactTime } from "./time/times.ts"

const CLOCKS_APART_MS = DAY_MS
const ID = new RegExp(`^[a-z]+_[${ID_ALPHABET}]{26}$`)

/** Why the ID in the address finds nothing, as far as it tells. */
export default function WhyNotFound() {
  const id = useParam("id")
  const madeAt = timeOf(id)
  const { data } = useQuery({ ...installationQuery, enabled: isId("email", id) })
  const keptDays = data?.recordRetentionDays
  if (id && (!ID.test(id) || madeAt > Date.now() + CLOCKS_APART_MS)) {
    return <p>The ID in the address is misspelt or incomplete. Copy the whole ID.</p>
  }
  if (keptDays !== undefined && madeAt < Date.now() - keptDays * DAY_MS) {
    return (
      <p>
        It was created on {exactTime(new Date(madeAt).toISOString())}. Emails are deleted after{" "}
        {counted(keptDays, "day")}.
      </p>
    )
  }
  return (
    <p>
      It may have been deleted.
      {hasSeveralTeams() && " If it belongs to another team, switch to that team first."}
    </p>
  )
}

const hasSeveralTeams = () => (queries.getQueryData(sessionQuery.queryKey)?.teams.length ?? 0) > 1
