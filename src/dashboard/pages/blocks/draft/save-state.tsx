import { Badge } from "../../../ui/badge.tsx"
import type { Saving } from "./autosave.ts"

/** Says whether everything is saved, and what waits. */
export function SaveState({
  saving,
  waitsFor = "Fill in the empty block to save",
}: {
  saving: Pick<Saving, "dirty" | "busy" | "error" | "invalid">
  waitsFor?: string
}) {
  const waits = saving.dirty && Object.keys(saving.invalid).length > 0
  return (
    <span role="status" className="text-xs">
      {saving.error ? (
        <Badge state="failed" label="Not saved" />
      ) : saving.busy || (saving.dirty && !waits) ? (
        <Badge state="waiting" label="Saving" />
      ) : waits ? (
        <Badge state="delayed" label={waitsFor} />
      ) : (
        <Badge state="ok" label="Saved" />
      )}
    </span>
  )
}
