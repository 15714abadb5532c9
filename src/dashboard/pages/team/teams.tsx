import { useState } from "react"
import { call } from "../../api/api.ts"
import { chosenTeam } from "../../api/session.ts"
import { useMay, useSession } from "../../app/people.ts"
import { sentence } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { Section } from "../../ui/page.tsx"

export function Teams({ onCreate }: { onCreate(): void }) {
  const { team, teams } = useSession()
  const { own } = useMay()
  const [leaving, setLeaving] = useState(false)
  return (
    <Section
      title="Your teams"
      actions={own && <Button onClick={onCreate}>Create another team</Button>}
    >
      <ul className="rounded-lg border bg-raised">
        {teams.map(({ id, name, role }) => (
          <li
            key={id}
            className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b px-4 py-2 last:border-0"
          >
            <span className="min-w-0 flex-1 wrap-anywhere">
              <span className="font-medium">{name}</span>
              <span className="text-muted">
                {" "}
                · {sentence(role)}
                {id === team.id && " · current"}
              </span>
            </span>
            {id === team.id ? (
              <Button small kind="danger" onClick={() => setLeaving(true)}>
                Leave team
              </Button>
            ) : (
              <Button small onClick={() => chosenTeam.open(id)} aria-label={`Switch to ${name}`}>
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Confirm
        open={leaving}
        onOpenChange={setLeaving}
        title={`Leave ${team.name}?`}
        description="You lose access immediately. To come back, you need an invitation."
        action="Leave team"
        onConfirm={async () => {
          await call({ method: "POST", path: "/team/leave" })
          chosenTeam.forget()
          location.assign("/dashboard")
        }}
      />
    </Section>
  )
}
