import { useState } from "react"
import type { deleteTeam } from "../../../worker/teams/members/contract.ts"
import { call } from "../../api/api.ts"
import { chosenTeam } from "../../api/session.ts"
import { useSession } from "../../app/people.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"

export function DangerZone() {
  const { team } = useSession()
  const [open, setOpen] = useState(false)
  const remove = async () => {
    const body = { name: team.name }
    await call<typeof deleteTeam>({ method: "POST", path: "/team/delete", body })
    chosenTeam.forget()
    location.assign("/dashboard")
  }
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-4 rounded-lg border border-failed/40 p-4">
        <div className="min-w-0">
          <p className="font-medium">Delete this team</p>
          <p className="text-muted">
            Deletes its domains, API keys, email, contacts and campaigns. This cannot be undone.
          </p>
        </div>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Delete team
        </Button>
      </div>
      <Confirm
        open={open}
        onOpenChange={setOpen}
        title={`Delete ${team.name}?`}
        description="API keys stop working, sending stops and all members lose access immediately. All data is deleted within hours."
        typed={team.name}
        action="Delete team"
        onConfirm={remove}
      />
    </>
  )
}
