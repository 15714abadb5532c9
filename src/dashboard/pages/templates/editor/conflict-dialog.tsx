import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import type { OpenTemplate } from "../data.ts"
import { Differences } from "../versions/differences.tsx"
import type { TemplateState } from "./use-template.ts"

/** Somebody else saved or published since this tab read the template. Nothing is overwritten yet. */
export function ConflictDialog({
  template: { version, draft },
  editor,
}: {
  template: OpenTemplate
  editor: TemplateState
}) {
  const theirs =
    draft.revision === null ? `version ${version}` : `the draft that ${draft.updatedBy} saved`
  return (
    <Dialog
      wide
      open
      onOpenChange={editor.closeConflict}
      title="Someone else changed this template"
      description={`Red lines are only in ${theirs}, green lines only in your editor. Nothing is overwritten yet.`}
    >
      <div className="grid gap-4">
        <Differences before={draft} after={editor.content} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={editor.closeConflict}>Keep editing</Button>
          <Button onClick={() => editor.settle("theirs")}>Discard my changes</Button>
          <Button kind="primary" onClick={() => editor.settle("mine")}>
            Save mine as the draft
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
