import { useBlocker } from "@tanstack/react-router"
import { lazy, Suspense, useDeferredValue, useMemo, useState } from "react"
import type { TemplateWithVersions } from "../../../client/types.ts"
import { type TemplateContent, updateTemplate } from "../../../templates/contract.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { AsRequestButton } from "../../ui/as-request.tsx"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Mono } from "../../ui/copy.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { Field, TextInput } from "../../ui/field.tsx"
import { Card, Page } from "../../ui/page.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { say } from "../../ui/toast.tsx"
import { mayLeave } from "../../ui/unsaved.ts"
import { CodeField } from "./code-field.tsx"
import { templateQuery } from "./data.ts"
import { DeleteTemplate } from "./delete-template.tsx"
import { findIn, type Samples, tryRender, usedVariables, variablesOf } from "./findings.ts"
import { PreviewPane } from "./preview-pane.tsx"
import { VariablesForm } from "./variables-form.tsx"
import { Versions } from "./versions.tsx"

const TestDialog = lazy(() => import("./test-dialog.tsx"))

const contentOf = (template: TemplateWithVersions): TemplateContent => ({
  name: template.name,
  subject: template.subject,
  bodyHtml: template.bodyHtml,
  bodyText: template.bodyText,
  variablesSchema: template.variablesSchema as TemplateContent["variablesSchema"],
})

/** Content with its problems. Only the save button saves the content. */
function useTemplate(template: TemplateWithVersions) {
  const saved = useMemo(() => contentOf(template), [template])
  const [content, setContent] = useState(saved)
  const [samples, setSamples] = useState<Samples>({})
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const dirty = JSON.stringify(content) !== JSON.stringify(saved)
  const issues = updateTemplate.json.safeParse(content).error?.issues ?? []
  const reload = async () => {
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    await queries.refetchQueries({ queryKey: templateQuery(template.id).queryKey })
  }
  useBlocker({
    shouldBlockFn: () => !mayLeave(),
    enableBeforeUnload: () => dirty,
    disabled: !dirty,
  })
  const save = async () => {
    if (busy || !dirty || issues.length > 0) return
    setBusy(true)
    setError(null)
    try {
      const { version } = await api.templates.update(template.id, content as never)
      say(`Saved as version ${version}`)
      await reload()
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  return { content, setContent, samples, setSamples, dirty, issues, busy, error, save, reload }
}

export default function TemplateEditor({ template }: { template: TemplateWithVersions }) {
  const editor = useTemplate(template)
  const { content, samples, setSamples, dirty, issues } = editor
  const [testing, setTesting] = useState(false)
  const settled = useDeferredValue(content)
  const outcome = useMemo(() => tryRender(settled, samples), [settled, samples])
  const used = useMemo(() => usedVariables(settled), [settled])
  const variables = useMemo(() => variablesOf(samples, settled), [samples, settled])
  const refused = issues[0] && `${String(issues[0].path[0])}: ${issues[0].message}`
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are a short cut for the button
    <div
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || !["s", "Enter"].includes(event.key)) return
        event.preventDefault()
        editor.save()
      }}
    >
      <Page
        wide
        title={template.name}
        above={<Link to="/templates">Templates</Link>}
        about={
          <span className="flex flex-wrap items-center gap-4">
            <Mono text={template.slug} copy />
            <span>Version {template.version}</span>
            {dirty && <Badge state="warning" label="Not saved" />}
          </span>
        }
        actions={
          <>
            <AsRequestButton
              method="POST"
              path={`/templates/${template.slug}/render`}
              json={{ variables }}
              library={`await edgepost.templates.render("${template.slug}", ${JSON.stringify({ variables }, null, 2)})`}
            />
            <DeleteTemplate template={template} />
            <Button
              disabledBecause={dirty && "Save your changes first"}
              onClick={() => setTesting(true)}
            >
              Send a test
            </Button>
            <Button
              kind="primary"
              busy={editor.busy}
              disabledBecause={!dirty ? "Nothing has changed" : refused}
              onClick={editor.save}
            >
              Save as version {template.version + 1}
            </Button>
          </>
        }
      >
        {editor.error !== null && <ErrorBox error={editor.error} />}
        <div className="grid min-w-0 items-start gap-6 xl:grid-cols-2">
          <Writing template={template} editor={editor} outcome={outcome} used={used} />
          <div className="min-w-0 xl:sticky xl:top-4">
            <PreviewPane
              content={settled}
              used={used}
              samples={samples}
              onSamples={setSamples}
              outcome={outcome}
            />
          </div>
        </div>
        <Suspense>
          {testing && (
            <TestDialog
              slug={template.slug}
              variables={variables}
              onClose={() => setTesting(false)}
            />
          )}
        </Suspense>
      </Page>
    </div>
  )
}

interface WritingProps {
  template: TemplateWithVersions
  editor: ReturnType<typeof useTemplate>
  outcome: ReturnType<typeof tryRender>
  used: readonly string[]
}

function Writing({ template, editor, outcome, used }: WritingProps) {
  const { content, setContent, issues } = editor
  const set = (changes: Partial<TemplateContent>) =>
    setContent((before) => ({ ...before, ...changes }))
  const issueOf = (field: string) => issues.find(({ path }) => path[0] === field)?.message
  const subject = findIn(content.subject, outcome).find(({ level }) => level === "error")?.message
  const html = useMemo(() => findIn(content.bodyHtml, outcome), [content.bodyHtml, outcome])
  const text = content.bodyText ?? ""
  const textFindings = useMemo(() => findIn(text, outcome), [text, outcome])
  const problems = Object.fromEntries(
    issues
      .filter(({ path }) => path[0] === "variablesSchema")
      .map(({ path, message }) => [String(path[2] ?? 0), message]),
  )
  return (
    <div className="grid min-w-0 gap-6">
      <Card className="grid gap-3 p-4">
        <Field label="Name" error={content.name === "" ? "Missing" : issueOf("name")}>
          {(control) => (
            <TextInput
              {...control}
              value={content.name}
              onChange={(event) => set({ name: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Subject"
          error={content.subject === "" ? "Missing" : (issueOf("subject") ?? subject)}
        >
          {(control) => (
            <TextInput
              {...control}
              value={content.subject}
              onChange={(event) => set({ subject: event.target.value })}
            />
          )}
        </Field>
      </Card>
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
                    The HTML is missing
                  </p>
                )}
              </>
            ),
          },
          {
            name: "Text",
            children: (
              <>
                <p className="mb-2 text-muted">
                  Left empty, the text part is made from the HTML when an email is sent.
                </p>
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
            children: <Versions template={template} onRestored={editor.reload} />,
          },
        ]}
      />
    </div>
  )
}
