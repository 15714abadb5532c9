import { useBlocker } from "@tanstack/react-router"
import { useMemo, useRef, useState } from "react"
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

/** The slug may change until the template is published. */
const contentOf = ({ draft, version }: OpenTemplate): DraftInput => ({
  ...(version === 0 && { slug: draft.slug }),
  name: draft.name,
  subject: draft.subject,
  bodyHtml: draft.bodyHtml,
  bodyText: draft.bodyText,
  variablesSchema: draft.variablesSchema as DraftInput["variablesSchema"],
  design: (draft.design ?? null) as DraftInput["design"],
})

const schema = saveTemplateDraft.json.omit({ version: true, revision: true })

const seenOf = ({ version, revision }: Seen): Seen => ({ version, revision })

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other)

const isConflict = (error: unknown) => error instanceof EdgepostError && error.code === "conflict"

/**
 * Content with its problems. Only the buttons save and publish it. What somebody writes while it is
 * saved, or while somebody else saves, stays.
 */
export function useTemplate(template: OpenTemplate) {
  const { id } = template
  const saved = useMemo(() => contentOf(template), [template])
  /** Null where it is as saved. */
  const [edited, setEdited] = useState<DraftInput | null>(null)
  const [samples, setSamples] = useState(() => readSamples(id))
  const [busy, setBusy] = useState<"save" | "publish" | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [conflict, setConflict] = useState(false)
  const content = edited ?? saved
  const dirty = edited !== null
  const isPublished = template.version > 0
  /** What the changes began with. */
  const base = useRef(seenOf(template.draft))
  /** Counts what was read that is not from here: the canvas begins again with it. */
  const loads = useRef(0)
  if (!dirty && !isSame(base.current, seenOf(template.draft))) {
    base.current = seenOf(template.draft)
    loads.current++
  }
  const [ofBlocks, setOfBlocks] = useState<{ content: DraftInput; seen: Seen } | null>(null)
  const before = ofBlocks && isSame(ofBlocks.seen, base.current) ? ofBlocks.content : null
  const issues = schema.safeParse(content, { error: inWords }).error?.issues ?? []
  const change = (changes: Partial<DraftInput>) =>
    setEdited((before) => {
      const next = { ...(before ?? saved), ...changes }
      return isSame(next, saved) ? null : next
    })
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
    setEdited((now) => (now === null || now === edited || isSame(now, next) ? null : now))
    return base.current
  }

  const publish = async (seen: Seen) => {
    const { version } = await publishDraft(id, seen)
    base.current = { version, revision: null }
    return `Version ${version} published`
  }

  return {
    ...{ content, change, samples, dirty, issues, busy, error, conflict },
    setSamples(next: Samples) {
      setSamples(next)
      keepSamples(id, next)
    },
    hasDraft: template.draft.revision !== null,
    isPublished,
    loads: loads.current,
    editAsHtml() {
      setOfBlocks({ content, seen: base.current })
      change({ design: null })
    },
    /** Until the HTML that was made of blocks is saved. */
    backToBlocks:
      before && !content.design
        ? () => {
            const { design, bodyHtml, bodyText } = before
            change({ design, bodyHtml, bodyText })
          }
        : undefined,
    isBehind: dirty && !isSame(base.current, seenOf(template.draft)),
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
      setEdited(null)
    },
    /** Puts a version into the draft. */
    restore: async (version: number, snapshot: DraftInput) => {
      const { draft } = template
      await saveDraft(id, snapshot, seenOf(draft))
      await reload()
      setEdited(null)
      say(`Version ${version} is the draft now`)
    },
    /** Ends the conflict: with what is in the editor, or with what somebody else saved. */
    settle(keep: "mine" | "theirs") {
      setConflict(false)
      if (keep === "theirs") return setEdited(null)
      return act("save", async () => {
        await store(content, seenOf(template.draft))
        return "Draft saved"
      })
    },
    closeConflict: () => setConflict(false),
  }
}

export type TemplateState = ReturnType<typeof useTemplate>
