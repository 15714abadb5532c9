import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Template } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { useMay } from "../../app/people.ts"
import { Confirm } from "../../ui/dialog.tsx"
import { MoreMenu } from "../../ui/more-menu.tsx"
import type { AsRequest } from "../../ui/request-codes.ts"
import { say } from "../../ui/toast.tsx"

interface Props {
  template: Template
  request: AsRequest
  /** Absent without a draft. */
  onDiscard: (() => Promise<void>) | undefined
}

export function TemplateMenu({ template, request, onDiscard }: Props) {
  const navigate = useNavigate()
  const may = useMay()
  const [discarding, setDiscarding] = useState(false)
  const remove = async () => {
    await api.templates.remove(template.id)
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    await navigate({ to: "/templates", ignoreBlocker: true })
    say("Template deleted")
  }
  return (
    <>
      <MoreMenu
        items={[
          onDiscard !== undefined && {
            label: "Discard draft",
            danger: true,
            onSelect: () => setDiscarding(true),
          },
        ]}
        request={request}
        deletion={
          may.manage && {
            action: "Delete template",
            description: "Deletes all its versions. Emails that use it will be refused.",
            typed: template.slug,
            onConfirm: remove,
          }
        }
      />
      {onDiscard && (
        <Confirm
          open={discarding}
          onOpenChange={setDiscarding}
          title="Discard draft"
          action="Discard draft"
          description={`The editor shows version ${template.version} again.`}
          onConfirm={onDiscard}
        />
      )}
    </>
  )
}
