import { useDroppable } from "@dnd-kit/core"
import { Plus } from "lucide-react"
import { buttonClass } from "../../../ui/button.tsx"
import { cx } from "../../../ui/cx.ts"
import { Menu } from "../../../ui/menu/menu.tsx"
import { actionsOf, useBuilder } from "./builder.ts"
import { KINDS, type Kind } from "./kinds.ts"
import type { Place } from "./tree.ts"

interface Props {
  place: Place
  /** What a screen reader says: "Add a step after Welcome". */
  label: string
  /** The sequence has no step yet. */
  isFirst?: boolean
}

/** A line between two cards, with a button to add a step there. A dragged card drops there, too. */
export function AddStep({ place, label, isFirst }: Props) {
  const builder = useBuilder()
  const { setNodeRef, isOver } = useDroppable({ id: `${place.list}:${place.index}`, data: place })
  return (
    <div ref={setNodeRef} className="flex flex-col items-center">
      <span aria-hidden className="h-3 w-px bg-line" />
      {!builder.isFixed && (
        <Menu
          trigger={
            <button
              type="button"
              data-add
              aria-label={label}
              data-hint={isFirst ? undefined : label}
              className={cx(
                isFirst
                  ? buttonClass("plain")
                  : "flex size-6 items-center justify-center rounded-full border bg-raised hover:bg-sunken",
                isOver && "outline-2 outline-focus",
              )}
            >
              <Plus size={14} aria-hidden />
              {isFirst && "Add the first step"}
            </button>
          }
          items={(Object.keys(KINDS) as Kind[]).map((kind) => ({
            ...KINDS[kind],
            movesFocus: true,
            onSelect: () => actionsOf(builder).add(place, kind),
          }))}
        />
      )}
      <span aria-hidden className="h-3 w-px bg-line" />
    </div>
  )
}
