import { Suspense, useState } from "react"
import type { TemplateWithVersions } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { lazy } from "../../app/lazy.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { Time } from "../../ui/time.tsx"
import { say } from "../../ui/toast.tsx"
import { Skeleton } from "../../ui/waiting.tsx"

const DiffView = lazy(() => import("./diff-view.tsx"))

type Version = TemplateWithVersions["versions"][number]
type Snapshot = Version["snapshot"]

const PARTS = ["name", "subject", "bodyHtml", "bodyText", "variablesSchema"] as const
const NAMES: Record<(typeof PARTS)[number], string> = {
  name: "Name",
  subject: "Subject",
  bodyHtml: "HTML",
  bodyText: "Text",
  variablesSchema: "Variables",
}

const textOf = (snapshot: Snapshot, part: (typeof PARTS)[number]) => {
  const value = snapshot[part]
  return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value, null, 2)
}

interface Props {
  template: TemplateWithVersions
  /** Whether the editor has changes that are not saved. */
  dirty: boolean
  onRestored(): Promise<unknown>
}

/** The newest versions, each with what it changed. Restoring makes one more version. */
export function Versions(props: Props) {
  const [shown, setShown] = useState<Version | null>(null)
  const { versions } = props.template
  return (
    <>
      <ol className="grid">
        {versions.map((version, index) => (
          <li key={version.version} className="flex min-h-11 items-center gap-4 border-b py-1">
            <span className="font-medium">Version {version.version}</span>
            <span className="min-w-0 flex-1 truncate text-muted">
              {changesOf(versions[index + 1], version)}
            </span>
            <Time at={version.createdAt} />
            {index === 0 ? (
              <span className="text-muted">Current</span>
            ) : (
              <Button small onClick={() => setShown(version)}>
                Compare
              </Button>
            )}
          </li>
        ))}
      </ol>
      {shown && <Compare {...props} version={shown} onClose={() => setShown(null)} />}
    </>
  )
}

/** "HTML, Subject": what differs from the version before. */
function changesOf(before: Version | undefined, { snapshot, version }: Version): string {
  if (!before) return version === 1 ? "Created" : ""
  return differences(before.snapshot, snapshot)
    .map((part) => NAMES[part])
    .join(", ")
}

const differences = (before: Snapshot, after: Snapshot) =>
  PARTS.filter((part) => textOf(before, part) !== textOf(after, part))

function Compare({
  template,
  dirty,
  version,
  onClose,
  onRestored,
}: Props & { version: Version; onClose(): void }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const current = template.versions[0]?.snapshot ?? version.snapshot
  const parts = differences(current, version.snapshot)
  const restore = async () => {
    setBusy(true)
    setError(null)
    try {
      const restored = await api.templates.update(template.id, version.snapshot)
      await onRestored()
      say(`Version ${version.version} restored as version ${restored.version}`)
      onClose()
    } catch (error) {
      setError(error)
      setBusy(false)
    }
  }
  return (
    <Dialog
      wide
      open
      onOpenChange={onClose}
      title={`Version ${version.version} compared with the current one`}
      description="Restoring removes red lines and brings back green lines."
    >
      <div className="grid gap-4">
        {parts.length === 0 && <p>No differences.</p>}
        {parts.map((part) => (
          <section key={part} className="grid gap-1">
            <h3 className="font-medium">{NAMES[part]}</h3>
            <Suspense fallback={<Skeleton lines={2} />}>
              <DiffView
                label={NAMES[part]}
                before={textOf(current, part)}
                after={textOf(version.snapshot, part)}
              />
            </Suspense>
          </section>
        ))}
        {dirty && (
          <p role="alert" className="font-medium text-delayed">
            You have unsaved changes. Restoring a version discards them.
          </p>
        )}
        {error !== null && <ErrorBox error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} onClick={restore}>
            {dirty ? "Discard changes and restore" : "Restore"} version {version.version}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
