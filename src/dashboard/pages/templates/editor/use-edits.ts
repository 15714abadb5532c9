import { useMemo, useRef, useState } from "react"
import type { DraftInput, OpenTemplate, Seen } from "../data.ts"

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

export const seenOf = ({ version, revision }: Seen): Seen => ({ version, revision })

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other)

/** What somebody writes, beside what is saved. It stays when somebody else saves. */
export function useEdits(template: OpenTemplate) {
  const saved = useMemo(() => contentOf(template), [template])
  /** Null where it is as saved. */
  const [edited, setEdited] = useState<DraftInput | null>(null)
  const dirty = edited !== null
  const latest = seenOf(template.draft)
  /** What the changes began with. */
  const base = useRef(latest)
  /** Counts what was read that is not from here: the canvas begins again with it. */
  const loads = useRef(0)
  if (!dirty && !isSame(base.current, latest)) {
    base.current = latest
    loads.current++
  }
  return {
    content: edited ?? saved,
    dirty,
    base,
    loads: loads.current,
    isBehind: dirty && !isSame(base.current, latest),
    change: (changes: Partial<DraftInput>) =>
      setEdited((before) => {
        const next = { ...(before ?? saved), ...changes }
        return isSame(next, saved) ? null : next
      }),
    /** What was written while this was saved stays. */
    endSaved: (sent: DraftInput) =>
      setEdited((now) => (now === null || now === edited || isSame(now, sent) ? null : now)),
    drop: () => setEdited(null),
  }
}

/** Blocks that somebody left for HTML come back until the HTML is published, or the page left. */
export function useBlocksBefore({ content, loads, change }: ReturnType<typeof useEdits>) {
  const [left, setLeft] = useState<{ content: DraftInput; loads: number } | null>(null)
  const before = left?.loads === loads ? left.content : null
  return {
    editAsHtml() {
      setLeft({ content, loads })
      change({ design: null })
    },
    endBlocks: () => setLeft(null),
    backToBlocks:
      before && !content.design
        ? () => {
            const { design, bodyHtml, bodyText } = before
            change({ design, bodyHtml, bodyText })
          }
        : undefined,
  }
}
