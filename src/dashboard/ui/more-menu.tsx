import { Ellipsis } from "lucide-react"
import { type ComponentProps, useState } from "react"
import { IconButton } from "./button.tsx"
import { Confirm } from "./dialog.tsx"
import { Menu } from "./menu.tsx"

interface Deletion {
  /** The verb and the noun: "Delete campaign". */
  action: string
  description: string
  typed: string
  onConfirm(): Promise<unknown>
}

/** Further actions on the object of a page. Deleting it comes last. */
export function MoreMenu({
  items = [],
  deletion,
}: {
  items?: ComponentProps<typeof Menu>["items"]
  deletion: Deletion | false
}) {
  const [deleting, setDeleting] = useState(false)
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More">
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
        items={[
          ...items,
          deletion && {
            label: deletion.action,
            danger: true,
            onSelect: () => setDeleting(true),
          },
        ]}
      />
      {deletion && (
        <Confirm {...deletion} open={deleting} onOpenChange={setDeleting} title={deletion.action} />
      )}
    </>
  )
}
