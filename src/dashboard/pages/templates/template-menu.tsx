import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { useMay } from "../../app/people.ts"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import type { AsRequest } from "../../ui/request/request-codes.ts"
import { say, sayError } from "../../ui/toast.tsx"
import type { DraftInput, OpenTemplate } from "./data.ts"
import { duplicate } from "./duplicate.ts"

interface Props {
  template: OpenTemplate
  content: DraftInput
  request: AsRequest
  /** Absent where the template is HTML already. */
  onEditAsHtml: (() => void) | undefined
  /** Absent without a draft. */
  onDiscard: (() => Promise<void>) | undefined
}

export function TemplateMenu({ template, content, request, onEditAsHtml, onDiscard }: Props) {
  const { version } = template
  const navigate = useNavigate()
  const may = useMay()
  const [discarding, setDiscarding] = useState(false)
  const isPublished = version > 0
  const leave = async (said: string) => {
    queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
    await navigate({ to: "/templates", ignoreBlocker: true })
    say(said)
  }
  const remove = async () => {
    await api.templates.remove(template.id)
    await leave("Template deleted")
  }
  const copy = async () => {
    const { id } = await duplicate(content, template.slug)
    await navigate({ to: `/templates/${id}` })
    say("Template duplicated. This is the copy.")
  }
  const action = isPublished ? "Discard draft" : "Delete draft"
  return (
    <>
      <MoreMenu
        items={[
          {
            label: "Duplicate",
            onSelect: () => void copy().catch(sayError),
          },
          onEditAsHtml !== undefined && { label: "Edit as HTML", onSelect: onEditAsHtml },
          onDiscard !== undefined && {
            label: action,
            danger: true,
            onSelect: () => setDiscarding(true),
          },
        ]}
        request={request}
        deletion={
          may.manage &&
          isPublished && {
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
          title={action}
          action={action}
          description={
            isPublished
              ? `The editor shows version ${version} again.`
              : "This template was never published. Deleting the draft deletes it."
          }
          onConfirm={async () => {
            await onDiscard()
            if (!isPublished) await leave("Draft deleted")
          }}
        />
      )}
    </>
  )
}
