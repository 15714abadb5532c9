import { type ComponentProps, Suspense } from "react"
import { lazy } from "../../app/lazy.ts"
import { Skeleton } from "../../ui/waiting.tsx"

const Editor = lazy(() =>
  import("./block-editor.tsx").then(({ BlockEditor }) => ({ default: BlockEditor })),
)

/** The page around the editor is shown before the editor's code is loaded. */
export const BlockEditor = (input: ComponentProps<typeof Editor>) => (
  <Suspense fallback={<Skeleton />}>
    <Editor {...input} />
  </Suspense>
)
