import { useBlocker } from "@tanstack/react-router"
import { useState } from "react"
import { saveTemplateDraft } from "../../../worker/templates/draft-contract.ts"
import { EdgepostError } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { inWords } from "../../ui/issue-words.ts"
import { say } from "../../ui/toast.tsx"
import { mayLeave } from "../../ui/unsaved.ts"
import {
  type DraftInput,
  discardDraft,
  type OpenTemplate,
  publishDraft,
  type Seen,
  saveDraft,
  templateQuery,
} from "./data.ts"
import { keepSamples, readSamples } from "./samples.ts"
import type { Samples } from "./try-render.ts"
import { seenOf, useBlocksBefore, useEdits } from "./use-edits.ts"

const schema = saveTemplateDraft.json.omit({ version: true, revision: true })

const isConflict = (error: unknown) => error instanceof EdgepostError && error.code === "conflict"

/**
 * Content with its problems. Only the buttons save and publish it. What somebody writes while it is
 * saved, or while somebody else saves, stays.
 */
export function useTemplate(template: OpenTemplate) {
  const { id } = template
  const edits = useEdits(template)
  const { content, dirty, base } = edits
  const blocks = useBlocksBefore(edits)
  const [samples, setSamples] = useState(() => readSamples(id))
  const [busy, setBusy] = useState<"save" | "publish" | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [conflict, setConflict] = useState(false)
  const isPublished = template.version > 0
  const issues = schema.safeParse(content, { error: inWords }).error?.issues ?? []
  const reload = async () => {
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    await queries.refetchQueries({ queryKey: templateQuery(id).queryKey })
  }
  useBlocker({
    shouldBlockFn: () => !mayLeave(),
    enableBeforeUnload: () => dirty,
    disabled: !dirty,
  })

  /** A refusal because somebody else was faster shows the difference. */
  async function act(kind: "save" | "publish", step: () => Promise<string>) {
    if (busy) return
    setBusy(kind)
    setError(null)
    const tell = await step().then(
      (done) => () => say(done),
      (error) => () => (isConflict(error) ? setConflict(true) : setError(error)),
    )
    await reload()
    setBusy(null)
    tell()
  }

  async function store(next: DraftInput, seen: Seen): Promise<Seen> {
    const draft = await saveDraft(id, next, seen)
    base.current = seenOf(draft)
    await reload()
    edits.endSaved(next)
    return base.current
  }

  const publish = async (seen: Seen) => {
    const { version } = await publishDraft(id, seen)
    base.current = { version, revision: null }
    return `Version ${version} published`
  }

  return {
    ...edits,
    ...blocks,
    ...{ samples, issues, busy, error, conflict },
    setSamples(next: Samples) {
      setSamples(next)
      keepSamples(id, next)
    },
    hasDraft: template.draft.revision !== null,
    isPublished,
    save() {
      if (!dirty || issues.length > 0) return
      return act("save", async () => {
        await store(content, base.current)
        return "Draft saved"
      })
    },
    publish: () =>
      act("publish", async () =>
        publish(dirty ? await store(content, base.current) : base.current),
      ),
    discard: async () => {
      const discarded = discardDraft(id, template.draft.revision ?? "")
      // Nothing is left of a template that was never published.
      await (isPublished ? discarded.finally(reload) : discarded)
      edits.drop()
    },
    /** Puts a version into the draft. */
    restore: async (version: number, snapshot: DraftInput) => {
      const { draft } = template
      await saveDraft(id, snapshot, seenOf(draft))
      await reload()
      edits.drop()
      say(`Version ${version} is the draft now`)
    },
    /** Ends the conflict: with what is in the editor, or with what somebody else saved. */
    settle(keep: "mine" | "theirs") {
      setConflict(false)
      if (keep === "theirs") return edits.drop()
      return act("save", async () => {
        await store(content, seenOf(template.draft))
        return "Draft saved"
      })
    },
    closeConflict: () => setConflict(false),
  }
}

export type TemplateState = ReturnType<typeof useTemplate>
