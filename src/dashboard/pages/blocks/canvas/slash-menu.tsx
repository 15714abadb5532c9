import { Menu as Base } from "@base-ui/react/menu"
import type { KeyboardEvent } from "react"
import { MenuPopup } from "../../../ui/menu/menu-list.tsx"
import { handleOf } from "./focus-block.ts"
import { type ChoiceProps, useKindItems } from "./kind-menu.tsx"

/** The menu of kinds at a text, opened by a slash. */
export default function SlashMenu({
  blockKey,
  onClose,
  ...choice
}: ChoiceProps & { blockKey: string; onClose(typed?: string): void }) {
  // A word may follow a slash, as in "1 / 2".
  const onKeyDownCapture = (event: KeyboardEvent) => {
    if (event.key !== " ") return
    event.preventDefault()
    event.stopPropagation()
    onClose(" ")
  }
  return (
    <Base.Root open modal={false} onOpenChange={(open) => open || onClose()}>
      <MenuPopup
        aria-label="Blocks"
        align="start"
        anchor={() => handleOf(blockKey)?.closest("[data-block]") ?? null}
        finalFocus={() => false}
        onKeyDownCapture={onKeyDownCapture}
        items={useKindItems(choice)}
      />
    </Base.Root>
  )
}
