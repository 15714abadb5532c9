import { type ComponentProps, Suspense } from "react"
import { lazy } from "../../app/lazy.ts"
import { Skeleton } from "../waiting.tsx"

const RequestSnippetTabs = lazy(() => import("./request-snippet-tabs.tsx"))

/** A call in each language, to copy. Its code is loaded when it is shown. */
export const RequestSnippet = (props: ComponentProps<typeof RequestSnippetTabs>) => (
  <Suspense fallback={<Skeleton />}>
    <RequestSnippetTabs {...props} />
  </Suspense>
)
