import type { Domain } from "../../../client/types.ts"
import type { addDnsRecords } from "../../../worker/domains/dashboard-contract.ts"
import { call, path } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { useMay } from "../../app/people.ts"
import { counted } from "../../ui/numbers.ts"
import { TaskButton } from "../../ui/task-button.tsx"
import { say } from "../../ui/toast.tsx"
import { domainQuery } from "./data.ts"

/** Shown where the installation's token sees the zone. */
export function AddToCloudflare({ domain: { id }, zone }: { domain: Domain; zone: string }) {
  const may = useMay()
  const add = async () => {
    say(result(await addRecords(id), zone))
    await queries.invalidateQueries({ queryKey: domainQuery(id).queryKey })
  }
  if (!may.manage) return null
  return (
    <div className="mt-3 flex flex-wrap items-center gap-3">
      <TaskButton run={add} busyLabel="Adding…">
        Add to Cloudflare
      </TaskButton>
      <p className="text-muted">Adds the missing records to {zone}. Existing records stay.</p>
    </div>
  )
}

const addRecords = (id: string) =>
  call<typeof addDnsRecords>({ method: "POST", path: path`/domains/${id}/dns` })

function result({ isInAccount, added }: ReplyOf<typeof addDnsRecords>, zone: string) {
  if (!isInAccount) return `${zone} is not in this installation's Cloudflare account.`
  if (added === 0) return "Nothing to add. A record of each name and type is there already."
  return `${counted(added, "record")} added. Verification takes a few minutes.`
}
