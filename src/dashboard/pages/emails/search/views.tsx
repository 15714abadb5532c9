import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Ellipsis } from "lucide-react"
import { Suspense, useState } from "react"
import type { ViewQuery } from "../../../../worker/views/contract.ts"
import { createSavedView, deleteSavedView, type SavedView, viewsQuery } from "../../../api/views.ts"
import { lazy } from "../../../app/lazy.ts"
import { Link } from "../../../app/link.tsx"
import { Button, IconButton } from "../../../ui/button.tsx"
import { Menu } from "../../../ui/menu/menu.tsx"
import { say, sayError } from "../../../ui/toast.tsx"
import { useMayChange } from "../may-change.ts"
import { isSameQuery, viewPage } from "./view-query.ts"

const ViewDialog = lazy(() => import("./view-dialog.tsx"))

const TAB =
  "block max-w-60 truncate border-b-2 border-transparent py-2 text-muted -outline-offset-2 hover:text-ink aria-[current]:border-ink aria-[current]:text-ink"

/** The team's views of the list. `query` has the filters that are chosen now. */
export function SavedViews({ query }: { query: ViewQuery | undefined }) {
  const { data: views = [] } = useQuery(viewsQuery)
  const [open, setOpen] = useState<"save" | "rename" | null>(null)
  const isFiltered = query === undefined || Object.keys(query).length > 0
  const current = query && views.find((view) => isSameQuery(view.query, query))
  const canSave = isFiltered && query && !current
  if (views.length === 0 && !canSave) return null
  return (
    <div className="flex min-w-0 items-center gap-4 border-b">
      <nav aria-label="Views" className="flex min-w-0 gap-4 overflow-x-auto">
        <Tab to="/emails" isCurrent={!isFiltered} name="All emails" />
        {views.map((view) => (
          <Tab key={view.id} to={viewPage(view)} isCurrent={view === current} name={view.name} />
        ))}
      </nav>
      {current && <ViewMenu view={current} onRename={() => setOpen("rename")} />}
      {canSave && (
        <Button small onClick={() => setOpen("save")} className="shrink-0">
          Save view
        </Button>
      )}
      <Suspense>
        {open && query && (
          <ViewDialog
            view={open === "rename" ? current : undefined}
            views={views}
            query={query}
            onClose={() => setOpen(null)}
          />
        )}
      </Suspense>
    </div>
  )
}

const Tab = ({ to, isCurrent, name }: { to: string; isCurrent: boolean; name: string }) => (
  <Link to={to} aria-current={isCurrent ? "page" : undefined} className={TAB}>
    {name}
  </Link>
)

function ViewMenu({ view, onRename }: { view: SavedView; onRename(): void }) {
  const navigate = useNavigate()
  const mayChange = useMayChange()
  if (!mayChange(view)) return null
  const remove = async () => {
    try {
      await deleteSavedView(view.id)
      void navigate({ href: "/dashboard/emails" })
      say(`“${view.name}” deleted`, () => createSavedView(view))
    } catch (error) {
      sayError(error)
    }
  }
  return (
    <Menu
      trigger={
        <IconButton small label={`Actions for ${view.name}`} className="w-7 shrink-0">
          <Ellipsis size={14} aria-hidden />
        </IconButton>
      }
      items={[
        { label: "Rename view", onSelect: onRename },
        { label: "Delete view", danger: true, onSelect: remove },
      ]}
    />
  )
}
