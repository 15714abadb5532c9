import { Suspense, useDeferredValue, useMemo, useState } from "react"
import { lazy } from "../../../app/lazy.ts"
import { Link } from "../../../app/link.tsx"
import { Badge } from "../../../ui/badge.tsx"
import { Button } from "../../../ui/button.tsx"
import { ErrorBox } from "../../../ui/form/error-box.tsx"
import { Page } from "../../../ui/page.tsx"
import { Mono } from "../../../ui/request/copy.tsx"
import { requestOf } from "../../../ui/request/request-of.ts"
import { Skeleton } from "../../../ui/waiting.tsx"
import { SaveState } from "../../blocks/draft/save-state.tsx"
import { type DraftInput, nameOf, type OpenTemplate } from "../data.ts"
import { Sends } from "../sends.tsx"
import { TemplateMenu } from "../template-menu.tsx"
import { usedVariables } from "../versions/findings.ts"
import { ConflictDialog } from "./conflict-dialog.tsx"
import { TemplateHtml } from "./template-html.tsx"
import { tryRender, variablesOf } from "./try-render.ts"
import { type TemplateState, useTemplate } from "./use-template.ts"

/** What the API does to use the template, or to publish it at once. */
const renderRequest = (slug: string, variables: object) =>
  requestOf("POST", `/templates/${slug}/render`, "templates.render", slug, { variables })

const createRequest = ({ design: _, ...content }: DraftInput) =>
  requestOf("POST", "/templates", "templates.create", content)

function refusalOf(issue: TemplateState["issues"][number] | undefined) {
  if (!issue) return undefined
  const field = String(issue.path[0])
  return field === "design" ? "Fix the marked block to save" : `${field}: ${issue.message}`
}

const TemplateBlocks = lazy(() => import("./template-blocks.tsx"))
const TestDialog = lazy(() => import("../test-dialog.tsx"))
const PublishDialog = lazy(() => import("../versions/publish-dialog.tsx"))

export default function TemplateEditor({ template }: { template: OpenTemplate }) {
  const editor = useTemplate(template)
  const { content, samples, setSamples, dirty, hasDraft, isPublished, issues } = editor
  const [testing, setTesting] = useState(false)
  const [publishing, setPublishing] = useState(false)
  const settled = useDeferredValue(content)
  const outcome = useMemo(() => tryRender(settled, samples), [settled, samples])
  const used = useMemo(() => usedVariables(settled), [settled])
  const variables = useMemo(() => variablesOf(samples, settled), [samples, settled])
  const parts = { template, editor, settled, outcome, used, samples, onSamples: setSamples }
  const refused = refusalOf(issues[0])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are a short cut for the button
    <div
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || !["s", "Enter"].includes(event.key)) return
        event.preventDefault()
        editor.flush()
      }}
    >
      <Page
        wide
        title={nameOf(template)}
        above={<Link to="/templates">Templates</Link>}
        about={
          <span className="flex flex-wrap items-center gap-4">
            <Mono text={template.slug} copy />
            {isPublished ? (
              <>
                <span>Version {template.version}</span>
                <Sends templateId={template.id} />
              </>
            ) : (
              <Badge state="waiting" label="Draft" />
            )}
            {isPublished && hasDraft && <Badge state="waiting" label="Unpublished changes" />}
            {editor.isBehind ? (
              <Button small onClick={editor.showConflict}>
                Someone else changed this template
              </Button>
            ) : (
              (dirty || hasDraft) && (
                <SaveState
                  saving={{
                    dirty,
                    busy: editor.busy === "save",
                    error: editor.error,
                    invalid: refused ? { content: refused } : {},
                  }}
                  {...(refused && { waitsFor: refused })}
                />
              )
            )}
          </span>
        }
        actions={
          <>
            <Button
              kind="primary"
              busy={editor.busy === "publish"}
              disabledBecause={!dirty && !hasDraft ? "No changes to publish" : refused}
              onClick={async () => {
                if (await editor.flush()) setPublishing(true)
              }}
            >
              <span>
                Publish
                {isPublished && (
                  <span className="max-sm:sr-only"> version {template.version + 1}</span>
                )}
              </span>
            </Button>
            <Button
              disabledBecause={!outcome.shown && "Fix the errors first"}
              onClick={() => setTesting(true)}
            >
              Send test
            </Button>
            <TemplateMenu
              template={template}
              content={content}
              onEditAsHtml={content.design ? editor.editAsHtml : undefined}
              onDiscard={hasDraft ? editor.discard : undefined}
              request={
                isPublished ? renderRequest(template.slug, variables) : createRequest(content)
              }
            />
          </>
        }
      >
        {editor.error !== null && !publishing && (
          <ErrorBox error={editor.error} retry={editor.flush} />
        )}
        {editor.backToBlocks && <BlocksLeft onBack={editor.backToBlocks} />}
        {content.design ? (
          <Suspense fallback={<Skeleton lines={8} />}>
            <TemplateBlocks key={editor.loads} {...parts} design={content.design} />
          </Suspense>
        ) : (
          <TemplateHtml {...parts} />
        )}
        <Suspense>
          {testing && outcome.shown && (
            <TestDialog message={outcome.shown} onClose={() => setTesting(false)} />
          )}
        </Suspense>
        <Suspense>
          {publishing && !dirty && !editor.conflict && (
            <PublishDialog
              template={template}
              editor={editor}
              onClose={() => setPublishing(false)}
            />
          )}
        </Suspense>
        {editor.conflict && <ConflictDialog template={template} editor={editor} />}
      </Page>
    </div>
  )
}

function BlocksLeft({ onBack }: { onBack(): void }) {
  return (
    <p role="status" className="flex flex-wrap items-center gap-3 rounded-lg border bg-sunken p-3">
      <span className="min-w-0 flex-1 basis-80">
        You are editing the HTML of the blocks. Once you leave this page, you can no longer edit
        this draft as blocks. Published versions keep theirs.
      </span>
      <Button small onClick={onBack}>
        Back to blocks
      </Button>
    </p>
  )
}
