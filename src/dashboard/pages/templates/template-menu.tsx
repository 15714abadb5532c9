import { useNavigate } from "@tanstack/react-router"
import type { Template } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { useMay } from "../../app/people.ts"
import { MoreMenu } from "../../ui/more-menu.tsx"
import type { AsRequest } from "../../ui/request-codes.ts"
import { say } from "../../ui/toast.tsx"

export function TemplateMenu({ template, request }: { template: Template; request: AsRequest }) {
  const navigate = useNavigate()
  const may = useMay()
  const remove = async () => {
    await api.templates.remove(template.id)
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    await navigate({ to: "/templates", ignoreBlocker: true })
    say("Template deleted")
  }
  return (
    <MoreMenu
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
  )
}
