import {
  type CollisionDetection,
  closestCenter,
  type DndContextProps,
  PointerSensor,
  pointerWithin,
  useSensor,
  useSensors,
} from "@dnd-kit/core"
import { type ListId, listsOf, placeOf } from "../draft/draft.ts"
import { blockActions } from "./block-actions.ts"
import type { Canvas } from "./canvas-context.ts"
import { handleOf } from "./focus-block.ts"

/** Chooses the inner one of two targets under the pointer: a block in a column, not the columns. */
const innermost: CollisionDetection = (args) => {
  const under = pointerWithin(args).filter(({ id }) => id !== args.active.id)
  const inner =
    under.find(({ id }) => isInColumn(String(id))) ??
    under.find(({ id }) => String(id).includes("/"))
  return inner ? [inner] : under.length > 0 ? under : closestCenter(args)
}

const isInColumn = (key: string) => Boolean(handleOf(key)?.closest("[data-column]"))

const INSTRUCTIONS =
  "Drag with a pointer. By keyboard: Alt and an arrow key move a block, Delete removes it, Ctrl or Cmd and D duplicate it."

export function useDragAndDrop(canvas: Canvas): DndContextProps {
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 4 } }))
  return {
    sensors,
    collisionDetection: innermost,
    accessibility: { screenReaderInstructions: { draggable: INSTRUCTIONS } },
    onDragEnd({ active, over }) {
      if (!over || over.id === active.id) return
      const { blocks } = canvas.read()
      const target = String(over.id)
      const end = listsOf(blocks).get(target as ListId)
      const place = end ? { list: target, index: end.length } : placeOf(blocks, target)
      if (place) blockActions(canvas).moveTo(String(active.id), place.list, place.index)
    },
  }
}
