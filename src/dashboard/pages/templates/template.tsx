import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense } from "react"
import { useParam } from "../../app/params.ts"
import { Page } from "../../ui/page.tsx"
import { Loaded, Skeleton } from "../../ui/waiting.tsx"
import { templateQuery } from "./data.ts"

const TemplateEditor = lazy(() => import("./template-editor.tsx"))

export default function TemplatePage() {
  const id = useParam("id")
  const query = useQuery(templateQuery(id))
  return (
    <Loaded query={query}>
      {(template) => (
        <Suspense
          fallback={
            <Page title={template.name}>
              <Skeleton />
            </Page>
          }
        >
          <TemplateEditor key={`${id} ${template.version}`} template={template} />
        </Suspense>
      )}
    </Loaded>
  )
}
