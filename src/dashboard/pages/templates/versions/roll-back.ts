import { stricterVariables } from "../../../../worker/templates/stricter-variables.ts"
import {
  type DraftInput,
  type OpenTemplate,
  publishDraft,
  publishedOf,
  saveDraft,
} from "../data.ts"

/** Publishes again what was published before `version`, unless somebody has changed it since. */
export function rollBack(before: OpenTemplate, version: number) {
  const snapshot = publishedOf(before) as DraftInput | undefined
  if (!snapshot) return undefined
  return async () => {
    const draft = await saveDraft(before.id, snapshot, { version, revision: null })
    await publishDraft(before.id, {
      version,
      revision: draft.revision,
      // Mail that was accepted a moment ago is accepted again.
      confirmedVariables: stricterVariables(before.draft as DraftInput, snapshot).map(
        ({ name }) => name,
      ),
    })
  }
}
