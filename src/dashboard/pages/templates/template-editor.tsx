import { Suspense, useDeferredValue, useMemo, useState } from "react"
import type { TemplateWithVersions } from "../../../client/types.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Mono } from "../../ui/copy.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { Page } from "../../ui/page.tsx"
import { tryRender, usedVariables, variablesOf } from "./findings.ts"
import { PreviewPane } from "./preview-pane.tsx"
import { TemplateFields } from "./template-fields.tsx"
import { TemplateMenu } from "./template-menu.tsx"
import { useTemplate } from "./use-template.ts"

const TestDialog = lazy(() => import("./test-dialog.tsx"))

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
            {editor.isBehind && (
              <span role="status">
                Version {template.version} was saved by someone else. Your draft does not include
                it: see Versions.
              </span>
            )}
          </span>
        }
        actions={
          <>
            <TemplateMenu
              template={template}
              request={{
                method: "POST",
                path: `/templates/${template.slug}/render`,
                json: { variables },
                library: `await edgepost.templates.render("${template.slug}", ${JSON.stringify({ variables }, null, 2)})`,
              }}
            />
            <Button
              disabledBecause={dirty && "Save your changes first"}
              onClick={() => setTesting(true)}
            >
              Send a test
            </Button>
            <Button
              kind="primary"
              busy={editor.busy}
              disabledBecause={!dirty ? "No changes to save" : refused}
              onClick={editor.save}
            >
              Save as version {template.version + 1}
            </Button>
          </>
        }
      >
        {editor.error !== null && <ErrorBox error={editor.error} />}
        <div className="grid min-w-0 items-start gap-6 xl:grid-cols-2">
          <TemplateFields template={template} editor={editor} outcome={outcome} used={used} />
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
