import type { updateTeam } from "../../../../worker/teams/contract.ts"
import { call } from "../../../api/api.ts"
import { queries, type Team } from "../../../api/queries.ts"
import { Link } from "../../../app/link.tsx"
import { useMay, useSession } from "../../../app/people.ts"
import { ErrorBox } from "../../../ui/form/error-box.tsx"
import { Switch } from "../../../ui/form/field.tsx"
import { Card, Facts } from "../../../ui/page.tsx"
import { say } from "../../../ui/toast.tsx"
import { useTask } from "../../../ui/use-task.ts"

const LABEL = "Require a second factor"
const HINT =
  "Members open this team with a passkey, or with a code after their password. API keys keep working."

/** Only owners change it. */
export function SignInRule({ team }: { team: Team }) {
  const { own } = useMay()
  const { secondFactor } = useSession()
  const isOn = team.requireSecondFactor
  const mayNotYet = !isOn && !secondFactor
  const { busy, error, run } = useTask(async (requireSecondFactor: boolean) => {
    const body = { requireSecondFactor }
    const saved = await call<typeof updateTeam>({ method: "PATCH", path: "/team", body })
    queries.setQueryData(["team"], saved)
    say(requireSecondFactor ? "Second factor required" : "Second factor no longer required")
  })
  if (!own) {
    return (
      <Card>
        <Facts facts={[["Second factor", isOn ? "Required" : "Not required"]]} />
      </Card>
    )
  }
  return (
    <Card className="grid gap-3 p-4">
      <Switch
        label={LABEL}
        hint={HINT}
        checked={isOn}
        disabled={busy || mayNotYet}
        onChange={run}
      />
      {mayNotYet && (
        <p className="text-muted">
          Set one up in{" "}
          <Link to="/account" className="underline underline-offset-2">
            your account
          </Link>{" "}
          first. If you have one, sign in again with it.
        </p>
      )}
      {error !== null && <ErrorBox error={error} />}
    </Card>
  )
}
