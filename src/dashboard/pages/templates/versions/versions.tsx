import { useState } from "react"
import type { TemplateContent } from "../../../../worker/templates/contract.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { ErrorBox } from "../../../ui/form/error-box.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { useTask } from "../../../ui/use-task.ts"
import { type OpenTemplate, publishedOf } from "../data.ts"
import type { TemplateState } from "../editor/use-template.ts"
import { Differences, differences, PART_NAMES } from "./differences.tsx"

type Version = OpenTemplate["versions"][number]

interface Props {
  template: OpenTemplate
  editor: TemplateState
}

/** The draft, and the newest versions with what each changed. */
export default function Versions(props: Props) {
  const [shown, setShown] = useState<Version | "draft" | null>(null)
  const { versions, draft } = props.template
  const { hasDraft, isPublished } = props.editor
  return (
    <>
      <ol className="grid">
        {hasDraft && (
          <Row
            name="Draft"
            state="Not published"
            about={`Saved by ${draft.updatedBy}`}
            at={draft.updatedAt}
            onCompare={isPublished ? () => setShown("draft") : undefined}
          />
        )}
        {versions.map((version, index) => (
          <Row
            key={version.version}
            state="Published"
            name={`Version ${version.version}`}
            about={aboutOf(versions[index + 1], version)}
            at={version.createdAt}
            onCompare={index > 0 ? () => setShown(version) : undefined}
          />
        ))}
      </ol>
      {shown === "draft" && <CompareDraft {...props} onClose={() => setShown(null)} />}
      {shown && shown !== "draft" && (
        <CompareVersion {...props} version={shown} onClose={() => setShown(null)} />
      )}
    </>
  )
}

interface RowProps {
  /** Shown where there is nothing to compare with. */
  state: string
  name: string
  about: string
  at: string
  onCompare: (() => void) | undefined
}

function Row({ state, name, about, at, onCompare }: RowProps) {
  return (
    <li className="flex min-h-11 items-center gap-4 border-b py-1">
      <span className="font-medium whitespace-nowrap">{name}</span>
      <span className="min-w-0 flex-1 truncate text-muted">{about}</span>
      <Time at={at} />
      {onCompare ? (
        <Button small onClick={onCompare}>
          Compare
        </Button>
      ) : (
        <span className="text-muted">{state}</span>
      )}
    </li>
  )
}

/** Somebody chose HTML, or a program changed a body. */
const LOST = "HTML instead of blocks"
const FOUND = "Blocks instead of HTML"

const isOfBlocks = ({ snapshot }: Version) => Boolean(snapshot.design)

function changesOf(before: Version, after: Version): string[] {
  const parts = differences(before.snapshot, after.snapshot)
  if (isOfBlocks(before) === isOfBlocks(after)) return parts.map((part) => PART_NAMES[part])
  const others = parts.filter((part) => !["design", "bodyHtml", "bodyText"].includes(part))
  return [isOfBlocks(before) ? LOST : FOUND, ...others.map((part) => PART_NAMES[part])]
}

/** "HTML, Subject · Ada": what differs from the version before, and who published it. */
function aboutOf(before: Version | undefined, after: Version): string {
  const { version, publishedBy } = after
  const changes = before ? changesOf(before, after) : version === 1 ? ["Created"] : []
  return [changes.join(", "), publishedBy].filter(Boolean).join(" · ")
}

function CompareDraft({ template, onClose }: Props & { onClose(): void }) {
  return (
    <Dialog
      wide
      open
      onOpenChange={onClose}
      title={`The draft compared with version ${template.version}`}
      description="Publishing removes red lines and adds green lines."
    >
      <div className="grid gap-4">
        <Differences before={publishedOf(template)} after={template.draft} />
        <div className="flex justify-end">
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Dialog>
  )
}

function CompareVersion({
  template,
  editor,
  version,
  onClose,
}: Props & { version: Version; onClose(): void }) {
  const isLost = editor.dirty || editor.hasDraft
  const { busy, error, run } = useTask(async () => {
    await editor.restore(version.version, version.snapshot as TemplateContent)
    onClose()
  })
  return (
    <Dialog
      wide
      open
      onOpenChange={onClose}
      title={`Version ${version.version} compared with the published one`}
      description="Restoring puts this version into the draft. It is live when you publish it."
    >
      <div className="grid gap-4">
        <Differences before={publishedOf(template)} after={version.snapshot} />
        {isLost && (
          <p role="alert" className="font-medium text-delayed">
            {editor.dirty ? "You have unsaved changes." : "There is a draft."} Restoring a version
            replaces {editor.dirty ? "them" : "it"}.
          </p>
        )}
        {error !== null && <ErrorBox error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} onClick={run}>
            {isLost ? "Replace the draft with" : "Restore"} version {version.version}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
