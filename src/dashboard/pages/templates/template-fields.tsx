import { useMemo } from "react"
import { Field, TextInput } from "../../ui/field.tsx"
import { Card } from "../../ui/page.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { CodeField } from "./code-field.tsx"
import type { DraftInput, OpenTemplate } from "./data.ts"
import { findIn, type tryRender } from "./findings.ts"
import { findForMail } from "./mail-findings.ts"
import type { TemplateState } from "./use-template.ts"
import { VariablesForm } from "./variables-form.tsx"
import { Versions } from "./versions.tsx"

interface Props {
  template: OpenTemplate
  editor: TemplateState
  outcome: ReturnType<typeof tryRender>
  used: readonly string[]
}

export function TemplateFields({ template, editor, outcome, used }: Props) {
  const { content, change: set, issues } = editor
  const issueOf = (field: string) => issues.find(({ path }) => path[0] === field)?.message
  const subject = findIn(content.subject, outcome).find(({ level }) => level === "error")?.message
  const errors = {
    slug: content.slug === "" ? "Enter a slug" : issueOf("slug"),
    name: content.name === "" ? "Enter a name" : issueOf("name"),
    subject: content.subject === "" ? "Enter a subject" : (issueOf("subject") ?? subject),
  }
  const html = useMemo(
    () => [...findIn(content.bodyHtml, outcome), ...findForMail(content.bodyHtml)],
    [content.bodyHtml, outcome],
  )
  const text = content.bodyText ?? ""
  const textFindings = useMemo(() => findIn(text, outcome), [text, outcome])
  const problems = Object.fromEntries(
    issues
      .filter(({ path }) => path[0] === "variablesSchema")
      .map(({ path, message }) => [String(path[2] ?? 0), message]),
  )
  return (
    <div className="grid min-w-0 gap-6">
      <NameAndSubject content={content} set={set} errors={errors} />
      <Tabs
        label="Template"
        tabs={[
          {
            name: "HTML",
            children: (
              <>
                <CodeField
                  label="HTML"
                  language="html"
                  value={content.bodyHtml}
                  findings={html}
                  onChange={(bodyHtml) => set({ bodyHtml })}
                />
                {content.bodyHtml === "" && (
                  <p role="alert" className="mt-1 text-xs text-failed">
                    Enter the HTML
                  </p>
                )}
              </>
            ),
          },
          {
            name: "Text",
            children: (
              <>
                <p className="mb-2 text-muted">Leave empty to generate the text from the HTML.</p>
                <CodeField
                  label="Text"
                  value={text}
                  findings={textFindings}
                  onChange={(bodyText) => set({ bodyText: bodyText || null })}
                />
              </>
            ),
          },
          {
            name: "Variables",
            children: (
              <VariablesForm
                variables={content.variablesSchema.variables}
                used={used}
                problems={problems}
                onChange={(variables) => set({ variablesSchema: { variables } })}
              />
            ),
          },
          {
            name: "Versions",
            children: <Versions template={template} editor={editor} />,
          },
        ]}
      />
    </div>
  )
}

interface NameAndSubjectProps {
  content: DraftInput
  set(changes: Partial<DraftInput>): void
  errors: Record<"name" | "slug" | "subject", string | undefined>
}

function NameAndSubject({ content, set, errors }: NameAndSubjectProps) {
  return (
    <Card className="grid gap-3 p-4">
      <Field label="Name" error={errors.name}>
        {(control) => (
          <TextInput
            {...control}
            value={content.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      {content.slug !== undefined && (
        <Field
          label="Slug"
          hint="Your code uses it to name this template. It is fixed once you publish."
          error={errors.slug}
        >
          {(control) => (
            <TextInput
              {...control}
              className="font-mono text-xs"
              value={content.slug}
              onChange={(event) => set({ slug: event.target.value })}
            />
          )}
        </Field>
      )}
      <Field label="Subject" error={errors.subject}>
        {(control) => (
          <TextInput
            {...control}
            value={content.subject}
            onChange={(event) => set({ subject: event.target.value })}
          />
        )}
      </Field>
    </Card>
  )
}
