import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { emailQuery, isNotFound, refresh } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useMay } from "../../app/people.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Card, Facts } from "../../ui/page.tsx"
import { Time } from "../../ui/time/time.tsx"
import { CAUSES } from "../suppressions/reasons.ts"
import { removeSuppression } from "../suppressions/remove.ts"
import type { Recipient } from "./recipient.tsx"

const AddSuppression = lazy(() => import("../suppressions/add.tsx"))

export function SuppressionCard({ recipient }: { recipient: Recipient }) {
  const { email, suppression } = recipient
  const may = useMay()
  const [open, setOpen] = useState(false)
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-4">
        <Facts
          facts={
            suppression
              ? [
                  [
                    "Suppressed",
                    <Badge
                      key="cause"
                      state={suppression.reason}
                      label={CAUSES[suppression.reason]}
                    />,
                  ],
                  ["Since", <Time key="since" at={suppression.createdAt} />],
                  suppression.sourceEmailId !== null && [
                    "Caused by",
                    <Cause key="mail" emailId={suppression.sourceEmailId} />,
                  ],
                  suppression.note !== null && ["Note", suppression.note],
                ]
              : [["Suppression", "Not suppressed. This address can receive email."]]
          }
        />
        {may.manage && suppression && (
          <Button small onClick={() => removeSuppression(suppression)}>
            Remove suppression
          </Button>
        )}
        {may.manage && !suppression && (
          <Button small onClick={() => setOpen(true)}>
            Suppress address
          </Button>
        )}
      </div>
      <Suspense>
        {open && (
          <AddSuppression
            email={email}
            onClose={() => setOpen(false)}
            onAdded={() => refresh("suppressions")}
          />
        )}
      </Suspense>
    </Card>
  )
}

/** The email by its subject, unless its record is purged. */
function Cause({ emailId }: { emailId: string }) {
  const { data, error } = useQuery(emailQuery(emailId))
  if (isNotFound(error)) return <span className="text-muted">Deleted email</span>
  return (
    <Link to={`/emails/${emailId}`} className="underline underline-offset-2">
      {data ? data.subject || "No subject" : "An email"}
    </Link>
  )
}
