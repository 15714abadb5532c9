import { useMemo, useRef, useState } from "react"
import type { Domain, Sequence, UpdateSequenceInput } from "../../../client/types.ts"
import { pick } from "../../../lib/pick.ts"
import type { SegmentFilter } from "../../../worker/segments/filter.ts"
import { updateSequence } from "../../../worker/sequences/contract.ts"
import type { Step } from "../../../worker/sequences/definition/steps-contract.ts"
import { api, EdgepostError } from "../../api/api.ts"
import { asTask, inWords } from "../../ui/form/issue-words.ts"
import { useHistory } from "../blocks/canvas/history.ts"
import { type Draft, toBlocks, toDrafts, written } from "../blocks/draft/draft.ts"
import { useSharedAutosave } from "../blocks/draft/other-tabs.ts"
import { domainOfSender } from "../campaigns/data.ts"
import { mapBlocks, stepAt } from "./builder/tree.ts"
import { keep } from "./data.ts"

const CHOSEN = [
  "name",
  "from",
  "replyTo",
  "topicId",
  "trigger",
  "entry",
  "endOnReply",
  "window",
] as const satisfies (keyof Sequence)[]

/** The fields that the editor changes. The sender determines the domain. */
type Content = Pick<Sequence, (typeof CHOSEN)[number]> & {
  goal: SegmentFilter | null
  steps: readonly Step[]
}

type Update = (changes: Partial<Content>, step?: string) => void

export interface Issue {
  path: readonly PropertyKey[]
  message: string
}

/** Blocks get the keys that the canvas needs. */
export const withKeys = (steps: readonly Step[]) => mapBlocks(steps, toDrafts as never)
const withoutKeys = (steps: readonly Step[]) =>
  mapBlocks(steps, (blocks) => toBlocks(written(blocks as Draft[])))

const contentOf = (sequence: Sequence): Content => ({
  ...pick(sequence, CHOSEN),
  goal: sequence.goal as SegmentFilter | null,
  steps: withKeys(sequence.steps as Step[]),
})

export const isLive = ({ status }: Pick<Sequence, "status">) => status !== "draft"

/** A sequence in the editor: its content, undo, problems, and what is saved. */
export function useSequence(sequence: Sequence, domains: readonly Domain[], onOld: () => void) {
  const history = useHistory(contentOf(sequence))
  const { present: content, change } = history
  const domain = domainOfSender(content.from, domains)
  const value = useMemo(() => {
    const domainId = domain?.id ?? sequence.domainId
    return { ...content, domainId, steps: withoutKeys(content.steps) }
  }, [content, domain?.id, sequence.domainId])
  const version = useRef(sequence.version)
  const [latest, setLatest] = useState(sequence.version)
  const save = async (changes: Partial<typeof value>) => {
    const body = { version: version.current, ...changes } as UpdateSequenceInput
    const saved = keep(await api.sequences.update(sequence.id, body))
    version.current = saved.version
    setLatest(saved.version)
    return saved.version
  }
  const saving = useSharedAutosave(
    sequence.version,
    value,
    updateSequence.json,
    save,
    onOld,
    isLive(sequence),
  )
  const refused = useRefused(value, saving.error)
  const issues = useMemo<Issue[]>(() => {
    const own = updateSequence.json.safeParse({ version: 1, ...value }, { error: inWords })
    return [
      ...(own.error?.issues ?? []).map(({ path, message }) => ({ path, message: asTask(message) })),
      ...refused,
    ]
  }, [value, refused])
  const update: Update = (changes, step) =>
    change((before) => ({ ...before, ...changes }), step ?? Object.keys(changes).join())
  return {
    ...history,
    content,
    value,
    update,
    domain,
    saving,
    issues,
    latest,
    /** Saves over what somebody else has saved meanwhile. */
    async saveOver() {
      version.current = (await api.sequences.get(sequence.id)).version
      await saving.flush()
    },
  }
}

export type Editing = ReturnType<typeof useSequence>

/** What the server has refused, as long as nobody changes it. */
function useRefused(value: object, error: unknown): readonly Issue[] {
  const [failed, setFailed] = useState<{ error: unknown; value: object } | null>(null)
  if (error !== (failed?.error ?? null)) setFailed(error === null ? null : { error, value })
  return useMemo(
    () =>
      failed?.value === value &&
      failed.error instanceof EdgepostError &&
      Array.isArray(failed.error.details)
        ? failed.error.details.filter(({ path }) => Array.isArray(path))
        : [],
    [failed, value],
  )
}

/** The first issue of each step, and of each of its fields. */
export function issuesOfSteps(issues: readonly Issue[], steps: readonly Step[]) {
  const found = new Map<string, Issue[]>()
  for (const { path, message } of issues) {
    const at = path[0] === "steps" && stepAt(steps, path.slice(1))
    if (!at) continue
    found.set(at.key, [...(found.get(at.key) ?? []), { path: at.rest, message }])
  }
  return found
}

export const issueOf = (issues: readonly Issue[], field: string) =>
  issues.find(({ path }) => path.join(".") === field || path[0] === field)?.message
