import { Suspense } from "react"
import { lazy } from "../../app/lazy.ts"
import { NewButton } from "../../app/new-button.tsx"
import { useFilters } from "../../app/params.ts"
import { useMay, useSession } from "../../app/people.ts"
import { Page } from "../../ui/page.tsx"
import { Invitations } from "./members/invitations.tsx"
import { Members } from "./members/members.tsx"
import { Teams } from "./teams.tsx"

const InviteDialog = lazy(() => import("./members/invite-dialog.tsx"))
const CreateTeamDialog = lazy(() => import("./create-team-dialog.tsx"))

export default function Team() {
  const [filters, setFilters] = useFilters()
  const { team } = useSession()
  const { manage, own } = useMay()
  return (
    <Page title="Team" about={team.name} actions={manage && <NewButton>Invite teammate</NewButton>}>
      <Members />
      {manage && <Invitations />}
      <Teams onCreate={() => setFilters({ create: "true" })} />
      <Suspense>
        {manage && filters.new && <InviteDialog onClose={() => setFilters({ new: undefined })} />}
        {own && filters.create && (
          <CreateTeamDialog onClose={() => setFilters({ create: undefined })} />
        )}
      </Suspense>
    </Page>
  )
}
