import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { Page } from "../../ui/page.tsx"
import { LoadedPage, Skeleton } from "../../ui/waiting.tsx"
import { useLoads } from "../blocks/draft/other-tabs.ts"
import { layoutQuery } from "./data.ts"

const LayoutEditor = lazy(() => import("./layout-editor.tsx"))

export default function LayoutPage() {
  const id = useParam("id")
  const query = useQuery(layoutQuery(id))
  const loads = useLoads()
  return (
    <LoadedPage query={query} title="Layout" above={<Link to="/layouts">Layouts</Link>}>
      {(layout) => (
        <Suspense
          fallback={
            <Page title={layout.name} above={<Link to="/layouts">Layouts</Link>}>
              <Skeleton />
            </Page>
          }
        >
          <LayoutEditor key={`${id} ${loads.key}`} layout={layout} onOld={loads.onOld} />
        </Suspense>
      )}
    </LoadedPage>
  )
}
