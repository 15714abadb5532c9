import { useBlocker } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import type { TemplateWithVersions } from "../../../client/types.ts"
import { type TemplateContent, updateTemplate } from "../../../templates/contract.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
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

/** Content with its problems. Only the save button saves the content. */
export function useTemplate(template: TemplateWithVersions) {
  const saved = useMemo(() => contentOf(template), [template])
  const [content, setContent] = useState(saved)
  const [samples, setSamples] = useState<Samples>({})
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const dirty = JSON.stringify(content) !== JSON.stringify(saved)
  const issues = updateTemplate.json.safeParse(content).error?.issues ?? []
  const reload = async () => {
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    await queries.refetchQueries({ queryKey: templateQuery(template.id).queryKey })
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
      say(`Saved as version ${version}`)
      await reload()
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  return { content, setContent, samples, setSamples, dirty, issues, busy, error, save, reload }
}

export type TemplateState = ReturnType<typeof useTemplate>
