import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense } from "react"
import type { getLayout } from "../../../layouts/contract.ts"
import { call, path } from "../../api/api.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { Page } from "../../ui/page.tsx"
import { LoadedPage, Skeleton } from "../../ui/waiting.tsx"

const LayoutEditor = lazy(() => import("./layout-editor.tsx"))

export default function LayoutPage() {
  const id = useParam("id")
  const query = useQuery({
    queryKey: ["layouts", "one", id],
    queryFn: () => call<typeof getLayout>({ method: "GET", path: path`/layouts/${id}` }),
  })
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
          <LayoutEditor key={id} layout={layout} />
        </Suspense>
      )}
    </LoadedPage>
  )
}
