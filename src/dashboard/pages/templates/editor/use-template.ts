import { useBlocker } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { saveTemplateDraft } from "../../../../worker/templates/draft-contract.ts"
import { EdgepostError } from "../../../api/api.ts"
import { queries } from "../../../api/queries.ts"
import { mayLeave } from "../../../ui/dialog/unsaved.ts"
import { inWords } from "../../../ui/form/issue-words.ts"
import { say } from "../../../ui/toast.tsx"
import { AFTER_MS } from "../../blocks/draft/autosave.ts"
import {
  type DraftInput,
  discardDraft,
  type OpenTemplate,
  publishDraft,
  type Seen,
  saveDraft,
  templateQuery,
} from "../data.ts"
import { rollBack } from "../versions/roll-back.ts"
import { keepSamples, readSamples } from "./samples.ts"
import type { Samples } from "./try-render.ts"
import { seenOf, useBlocksBefore, useEdits } from "./use-edits.ts"

const schema = saveTemplateDraft.json.omit({ version: true, revision: true })

/** So that the editor knows what was saved meanwhile. */
const rendered = () => new Promise((resolve) => setTimeout(resolve))

/** Somebody else saved or published meanwhile. */
const isConflict = (error: unknown) =>
  error instanceof EdgepostError &&
  error.code === "conflict" &&
  Object.hasOwn(error.details ?? {}, "revision")

/**
 * Content with its problems, which saves itself as the draft. What somebody writes while it is
 * saved, or while somebody else saves, stays.
 */
export function useTemplate(template: OpenTemplate) {
  const { id } = template
  const edits = useEdits(template)
  const { content, dirty, base, isBehind } = edits
  const blocks = useBlocksBefore(edits)
  const [samples, setSamples] = useState(() => readSamples(id))
  const [busy, setBusy] = useState<"save" | "publish" | null>(null)
  const [failed, setFailed] = useState<{ error: unknown; content: DraftInput } | null>(null)
  const [conflict, setConflict] = useState(false)
  const running = useRef<Promise<unknown> | null>(null)
  const isPublished = template.version > 0
  const issues = schema.safeParse(content, { error: inWords }).error?.issues ?? []
  const queryKey = templateQuery(id).queryKey
  const reload = async () => {
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    await queries.refetchQueries({ queryKey })
  }

  /** A refusal because somebody else was faster shows the difference. */
  async function act(kind: "save" | "publish", step: () => Promise<unknown>): Promise<boolean> {
    await running.current
    const action = (async () => {
      setBusy(kind)
      setFailed(null)
      try {
        await step()
        return true
      } catch (error) {
        if (isConflict(error)) await reload()
        if (isConflict(error) && kind === "save") setConflict(true)
        else setFailed({ error, content })
        return false
      } finally {
        running.current = null
        setBusy(null)
      }
    })()
    running.current = action
    return action
  }

  async function store(next: DraftInput, seen: Seen) {
    const draft = await saveDraft(id, next, seen)
    base.current = seenOf(draft)
    queries.setQueryData(queryKey, (before) => before && { ...before, slug: draft.slug, draft })
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    edits.endSaved(next)
  }

  const save = () => act("save", () => store(content, base.current))

  const canSave = dirty && issues.length === 0 && !isBehind
  const waits = !canSave || busy !== null || conflict || failed?.content === content
  const latest = useRef({ dirty, canSave, save })
  latest.current = { dirty, canSave, save }

  /** Saves at once what can be saved. True if nothing is left. */
  async function flush(): Promise<boolean> {
    await running.current
    await rendered()
    if (latest.current.canSave) await latest.current.save()
    await rendered()
    return !latest.current.dirty
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change starts the time again
  useEffect(() => {
    if (waits) return
    const timer = setTimeout(() => latest.current.save(), AFTER_MS)
    return () => clearTimeout(timer)
  }, [content, waits])

  useBlocker({
    shouldBlockFn: async () => {
      return !(await flush()) && !(await mayLeave("Leave this page? Some changes are not saved."))
    },
    enableBeforeUnload: () => latest.current.dirty,
    disabled: !dirty,
  })

  return {
    ...edits,
    ...blocks,
    samples,
    issues,
    busy,
    conflict,
    flush,
    error: failed?.error ?? null,
    setSamples(next: Samples) {
      setSamples(next)
      keepSamples(id, next)
    },
    hasDraft: template.draft.revision !== null,
    isPublished,
    /** Publishes the draft that is saved. True if it is published. */
    publish: (confirmedVariables: string[]) =>
      act("publish", async () => {
        const { version } = await publishDraft(id, { ...base.current, confirmedVariables })
        base.current = { version, revision: null }
        blocks.endBlocks()
        await reload()
        const back = rollBack(template, version)
        if (!back) return say(`Version ${version} published`)
        say(`Version ${version} published`, () => back().then(reload), {
          label: "Roll back",
          done: `Version ${template.version} is published again, as version ${version + 1}`,
        })
      }),
    discard: async () => {
      await running.current
      const discarded = discardDraft(id, template.draft.revision ?? "")
      // Nothing is left of a template that was never published.
      await (isPublished ? discarded.finally(reload) : discarded)
      edits.drop()
    },
    /** Puts a version into the draft. */
    restore: async (version: number, snapshot: DraftInput) => {
      const restored = await act("save", async () => {
        await saveDraft(id, snapshot, seenOf(template.draft))
        await reload()
        edits.drop()
      })
      if (restored) say(`Version ${version} is the draft now`)
    },
    /** Ends the conflict: with what is in the editor, or with what somebody else saved. */
    async settle(keep: "mine" | "theirs") {
      setConflict(false)
      if (keep === "theirs") return edits.drop()
      await act("save", () => store(content, seenOf(template.draft)))
    },
    showConflict: () => setConflict(true),
    closeConflict: () => setConflict(false),
  }
}

export type TemplateState = ReturnType<typeof useTemplate>
