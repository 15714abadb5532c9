import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { Page } from "../../ui/page.tsx"
import { LoadedPage, Skeleton } from "../../ui/waiting.tsx"
import { nameOf, templateQuery } from "./data.ts"

const TemplateEditor = lazy(() => import("./editor/template-editor.tsx"))

export default function TemplatePage() {
  const id = useParam("id")
  const query = useQuery(templateQuery(id))
  return (
    <LoadedPage query={query} title="Template" above={<Link to="/templates">Templates</Link>}>
      {(template) => (
        <Suspense
          fallback={
            <Page title={nameOf(template)} above={<Link to="/templates">Templates</Link>}>
              <Skeleton />
            </Page>
          }
        >
          <TemplateEditor key={id} template={template} />
        </Suspense>
      )}
    </LoadedPage>
  )
}
