import { Ellipsis } from "lucide-react"
import { type ComponentProps, useMemo, useState } from "react"
import { useShortcuts } from "../../app/keyboard.ts"
import { IconButton } from "../button.tsx"
import { Confirm, Dialog } from "../dialog/dialog.tsx"
import type { AsRequest } from "../request/request-codes.ts"
import { RequestSnippet } from "../request/request-snippet.tsx"
import { Menu, type MenuItems } from "./menu.tsx"

interface Deletion {
  /** The verb and the noun: "Delete campaign". */
  action: string
  description: string
  typed: string
  onConfirm(): Promise<unknown>
}

interface Props {
  items?: ComponentProps<typeof Menu>["items"]
  /** The call of the API that does the same as the page. */
  request?: AsRequest | undefined
  deletion: Deletion | false
}

const isDanger = (item: MenuItems[number]) => (item || undefined)?.danger === true

/** Further actions on the object of a page, after its own ones. Deleting it comes last. */
export function MoreMenu({ items = [], request, deletion }: Props) {
  const [deleting, setDeleting] = useState(false)
  const [isShown, setShown] = useState(false)
  const hasRequest = request !== undefined
  useShortcuts(
    useMemo(
      () =>
        hasRequest ? [{ keys: "r", label: "Show as a request", run: () => setShown(true) }] : [],
      [hasRequest],
    ),
  )
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More" data-more>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
        items={[
          ...items.filter((item) => !isDanger(item)),
          hasRequest && { label: "As a request", onSelect: () => setShown(true) },
          ...items.filter(isDanger),
          deletion && {
            label: deletion.action,
            danger: true,
            onSelect: () => setDeleting(true),
          },
        ]}
      />
      {request && (
        <Dialog
          wide
          open={isShown}
          onOpenChange={setShown}
          title="As a request"
          description="The key is read from SVC_API_KEY."
        >
          {isShown && <RequestSnippet request={request} />}
        </Dialog>
      )}
      {deletion && (
        <Confirm {...deletion} open={deleting} onOpenChange={setDeleting} title={deletion.action} />
      )}
    </>
  )
}
