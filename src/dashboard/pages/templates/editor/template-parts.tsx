import { type ReactNode, Suspense } from "react"
import { lazy } from "../../../app/lazy.ts"
import { TextField } from "../../../ui/form/field.tsx"
import { Card } from "../../../ui/page.tsx"
import { Skeleton } from "../../../ui/waiting.tsx"
import type { DraftInput, OpenTemplate } from "../data.ts"
import { findIn } from "../versions/findings.ts"
import type { Outcome, Samples } from "./try-render.ts"
import type { TemplateState } from "./use-template.ts"
import { VariablesForm } from "./variables-form.tsx"

const Versions = lazy(() => import("../versions/versions.tsx"))

/** What a template of HTML and one of blocks are edited with. */
export interface EditorProps {
  template: OpenTemplate
  editor: TemplateState
  /** What is shown: a little behind while somebody types. */
  settled: DraftInput
  outcome: Outcome
  used: readonly string[]
  samples: Samples
  onSamples(samples: Samples): void
}

export function Envelope({
  editor,
  outcome,
  children,
}: Pick<EditorProps, "editor" | "outcome"> & { children?: ReactNode }) {
  const { content, change: set, issues } = editor
  const issueOf = (field: string) => issues.find(({ path }) => path[0] === field)?.message
  const inSubject = findIn(content.subject, outcome).find(({ level }) => level === "error")
  return (
    <Card className="grid items-start gap-3 p-4 md:grid-cols-2">
      <TextField
        label="Name"
        error={content.name === "" ? "Enter a name" : issueOf("name")}
        value={content.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      {content.slug !== undefined && (
        <TextField
          label="Slug"
          hint="The name your code uses. It cannot change after you publish."
          error={content.slug === "" ? "Enter a slug" : issueOf("slug")}
          className="font-mono text-xs"
          value={content.slug}
          onChange={(event) => set({ slug: event.target.value })}
        />
      )}
      <TextField
        label="Subject"
        error={
          content.subject === "" ? "Enter a subject" : (issueOf("subject") ?? inSubject?.message)
        }
        value={content.subject}
        onChange={(event) => set({ subject: event.target.value })}
      />
      {children}
    </Card>
  )
}

export const variablesTab = ({ editor, used }: EditorProps) => ({
  name: "Variables",
  children: (
    <VariablesForm
      variables={editor.content.variablesSchema.variables}
      used={used}
      problems={Object.fromEntries(
        editor.issues
          .filter(({ path }) => path[0] === "variablesSchema")
          .map(({ path, message }) => [String(path[2] ?? 0), message]),
      )}
      onChange={(variables) => editor.change({ variablesSchema: { variables } })}
    />
  ),
})

export const versionsTab = ({ template, editor }: EditorProps) => ({
  name: "Versions",
  children: (
    <Suspense fallback={<Skeleton />}>
      <Versions template={template} editor={editor} />
    </Suspense>
  ),
})
