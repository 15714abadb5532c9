import { useBlocker } from "@tanstack/react-router"
import { useMemo, useRef, useState } from "react"
import type { TemplateWithVersions } from "../../../client/types.ts"
import { type TemplateContent, updateTemplate } from "../../../worker/templates/contract.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { inWords } from "../../ui/issue-words.ts"
import { say } from "../../ui/toast.tsx"
import { mayLeave } from "../../ui/unsaved.ts"
import { templateQuery } from "./data.ts"
import type { Samples } from "./findings.ts"

const contentOf = (template: TemplateWithVersions): TemplateContent => ({
  name: template.name,
  subject: template.subject,
  bodyHtml: template.bodyHtml,
  bodyText: template.bodyText,
  variablesSchema: template.variablesSchema as TemplateContent["variablesSchema"],
})

const isSame = (one: TemplateContent, other: TemplateContent) =>
  JSON.stringify(one) === JSON.stringify(other)

/**
 * Content with its problems. Only the save button saves the content. What somebody writes while it
 * is saved, or while somebody else saves a version, stays.
 */
export function useTemplate(template: TemplateWithVersions) {
  const saved = useMemo(() => contentOf(template), [template])
  /** Null where it is as saved. */
  const [draft, setDraft] = useState<TemplateContent | null>(null)
  const [samples, setSamples] = useState<Samples>({})
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const content = draft ?? saved
  const dirty = draft !== null
  /** The version that the draft began with, or that was saved here since. */
  const base = useRef(template.version)
  if (!dirty) base.current = template.version
  const issues = updateTemplate.json.safeParse(content, { error: inWords }).error?.issues ?? []
  const change = (changes: Partial<TemplateContent>) =>
    setDraft((before) => {
      const next = { ...(before ?? saved), ...changes }
      return isSame(next, saved) ? null : next
    })
  const reload = async () => {
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    await queries.refetchQueries({ queryKey: templateQuery(template.id).queryKey })
  }
  const showSaved = async () => {
    await reload()
    setDraft(null)
  }
  useBlocker({
    shouldBlockFn: () => !mayLeave(),
    enableBeforeUnload: () => dirty,
    disabled: !dirty,
  })
  const save = async () => {
    if (busy || !dirty || issues.length > 0) return
    setBusy(true)
    setError(null)
    try {
      const { version } = await api.templates.update(template.id, content as never)
      base.current = version
      say(`Saved as version ${version}`)
      await reload()
      setDraft((now) => (now === draft ? null : now))
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  const isBehind = dirty && template.version > base.current
  const state = { dirty, isBehind, issues, busy, error }
  return { content, change, samples, setSamples, ...state, save, showSaved }
}

export type TemplateState = ReturnType<typeof useTemplate>
