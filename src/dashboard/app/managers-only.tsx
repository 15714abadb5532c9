import type { ReactNode } from "react"
import { Page } from "../ui/page.tsx"
import { useMay } from "./people.ts"

/** A page that the API refuses to members. The navigation does not show it to them. */
export function ManagersOnly({ title, children }: { title: string; children: ReactNode }) {
  const { manage } = useMay()
  if (manage) return children
  return (
    <Page title={title}>
      <p className="text-muted">Only owners and admins can see this page.</p>
    </Page>
  )
}
