import { useNavigate } from "@tanstack/react-router"
import { Suspense } from "react"
import type { listLayouts } from "../../../worker/campaigns/layouts/contract.ts"
import { call } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import type { ReplyOf } from "../../api/session.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { NewButton } from "../../app/new-button.tsx"
import { useFilters } from "../../app/params.ts"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { counted } from "../../ui/numbers.ts"
import { Page } from "../../ui/page.tsx"
import { Time } from "../../ui/time/time.tsx"

const NewLayout = lazy(() => import("./new-layout.tsx"))

type Layout = ReplyOf<typeof listLayouts>["data"][number]

const COLUMNS: readonly Column<Layout>[] = [
  {
    head: "Layout",
    width: "minmax(0, 3fr)",
    cell: ({ id, name }) => (
      <Link to={`/layouts/${id}`} className="font-medium">
        {name}
      </Link>
    ),
    below: ({ blocks }) => counted(blocks.length, "block"),
  },
  { head: "Blocks", width: "80px", right: true, cell: ({ blocks }) => blocks.length },
  {
    head: "Updated",
    width: "120px",
    right: true,
    phone: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]

export default function Layouts() {
  const [filters, setFilters] = useFilters()
  const navigate = useNavigate()
  const pages = usePages(["layouts"], (query) =>
    call<typeof listLayouts>({ method: "GET", path: "/layouts", query: { ...query } }),
  )
  return (
    <Page
      title="Layouts"
      about="Shared headers and footers for your campaigns."
      actions={pages.rows.length > 0 && <NewButton>Create layout</NewButton>}
    >
      <List
        {...pages}
        label="Layouts"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/layouts/${id}`}
        empty={
          <Empty title="No layouts yet">
            <p>Create a header or footer once, such as your logo, and reuse it.</p>
            <div>
              <NewButton>Create layout</NewButton>
            </div>
          </Empty>
        }
      />
      <Suspense>
        {filters.new === "true" && (
          <NewLayout
            onClose={() => setFilters({ new: undefined })}
            onCreated={(id) => void navigate({ to: `/layouts/${id}`, replace: true })}
          />
        )}
      </Suspense>
    </Page>
  )
}
