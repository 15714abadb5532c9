import { Plus } from "lucide-react"
import type { ReactElement } from "react"
import { Menu, type MenuItems } from "../../../ui/menu/menu.tsx"
import type { Kind } from "../draft/draft.ts"
import { useCanvas } from "./canvas-context.ts"
import { KINDS } from "./kinds.ts"

export interface ChoiceProps {
  /** A column holds every kind but columns. */
  inColumn: boolean
  onChoose(kind: Kind): void
}

/** A round button between blocks. */
export function AddBlockMenu({
  label,
  tabIndex,
  ...choice
}: ChoiceProps & { label: string; tabIndex?: number }) {
  return (
    <KindMenu
      {...choice}
      trigger={
        <button
          type="button"
          aria-label={label}
          data-hint={label}
          tabIndex={tabIndex}
          className="flex size-6 items-center justify-center rounded-full border bg-raised text-ink hover:bg-sunken"
        >
          <Plus size={14} aria-hidden />
        </button>
      }
    />
  )
}

/** A menu of the kinds of blocks. The chosen block gets the focus, so the button does not. */
export const KindMenu = ({
  trigger,
  ...choice
}: ChoiceProps & { trigger: ReactElement<object> }) => (
  <Menu trigger={trigger} items={useKindItems(choice)} />
)

export const useKindItems = ({ inColumn, onChoose }: ChoiceProps): MenuItems =>
  useCanvas()
    .kinds.filter((kind) => !inColumn || kind !== "columns")
    .map((kind) => ({ ...KINDS[kind], onSelect: () => onChoose(kind), movesFocus: true }))
