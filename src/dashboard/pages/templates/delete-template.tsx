import { useNavigate } from "@tanstack/react-router"
import { Ellipsis } from "lucide-react"
import { useState } from "react"
import type { Template } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { useMay } from "../../app/people.ts"
import { IconButton } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { Menu } from "../../ui/menu.tsx"
import { say } from "../../ui/toast.tsx"

export function DeleteTemplate({ template }: { template: Template }) {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const may = useMay()
  if (!may.manage) return null
  const remove = async () => {
    await api.templates.remove(template.id)
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    await navigate({ to: "/templates", ignoreBlocker: true })
    say("Template deleted")
  }
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More">
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
        items={[{ label: "Delete template", danger: true, onSelect: () => setOpen(true) }]}
      />
      <Confirm
        open={open}
        onOpenChange={setOpen}
        title="Delete template"
        description="All its versions go with it. A send that names it is refused from then on."
        action="Delete template"
        typed={template.slug}
        onConfirm={remove}
      />
    </>
  )
}
