import { useMemo, useState } from "react"
import { stricterVariables } from "../../../../worker/templates/stricter-variables.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { ErrorBox } from "../../../ui/form/error-box.tsx"
import { Findings } from "../../campaigns/draft/findings.tsx"
import { type DraftInput, type OpenTemplate, publishedOf } from "../data.ts"
import { tryRender } from "../editor/try-render.ts"
import type { TemplateState } from "../editor/use-template.ts"
import { BeforeAfter } from "./before-after.tsx"
import { checkTemplate } from "./check-template.ts"
import { Differences } from "./differences.tsx"

interface Props {
  template: OpenTemplate
  editor: TemplateState
  onClose(): void
}

/** The last step before production mail changes: checks, and what was and will be sent. */
export default function PublishDialog({ template, editor, onClose }: Props) {
  const { samples } = editor
  const draft = template.draft as DraftInput
  const published = publishedOf(template) as DraftInput | undefined
  const outcome = useMemo(() => tryRender(draft, samples), [draft, samples])
  const findings = checkTemplate({ published, draft, outcome })
  const names = published ? stricterVariables(published, draft).map(({ name }) => name) : []
  const [confirmed, setConfirmed] = useState(false)
  const stopped = findings.find(({ level }) => level === "stop")?.text
  const action = published ? `Publish version ${template.version + 1}` : "Publish"
  return (
    <Dialog
      wide
      open
      onOpenChange={onClose}
      title={published ? "Review and publish" : "Publish template"}
      description={
        published
          ? "Emails that use this template change as soon as you publish."
          : "Your code can use this template as soon as you publish."
      }
    >
      <form
        className="grid gap-5"
        onSubmit={async (event) => {
          event.preventDefault()
          if (await editor.publish(names)) onClose()
        }}
      >
        <Findings findings={findings} />
        {names.length > 0 && (
          <label className="flex items-start gap-2 font-medium">
            <input
              type="checkbox"
              className="mt-0.5 size-4 accent-(--primary)"
              checked={confirmed}
              onChange={({ target }) => setConfirmed(target.checked)}
            />
            <span className="wrap-anywhere">My code already sends {names.join(", ")}</span>
          </label>
        )}
        <BeforeAfter before={published} after={draft} samples={samples} />
        {published && (
          <details>
            <summary className="cursor-pointer text-muted">Show the changes line by line</summary>
            <div className="mt-3 grid gap-4">
              <Differences before={published} after={draft} />
            </div>
          </details>
        )}
        {editor.error !== null && <ErrorBox error={editor.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back to editing</Button>
          <Button
            kind="primary"
            type="submit"
            busy={editor.busy === "publish"}
            disabledBecause={
              stopped ?? (names.length > 0 && !confirmed && "Confirm the variables first")
            }
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
