import { Menu as Base } from "@base-ui/react/menu"
import { Plus } from "lucide-react"
import { type KeyboardEvent, type ReactElement, useRef } from "react"
import { useCanvas } from "./canvas-context.ts"
import type { Kind } from "./draft.ts"
import { handleOf } from "./focus-block.ts"
import { KINDS } from "./kinds.ts"

interface ChoiceProps {
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
export function KindMenu({ trigger, ...choice }: ChoiceProps & { trigger: ReactElement }) {
  const chosen = useRef(false)
  return (
    <Base.Root
      onOpenChange={(open) => {
        if (open) chosen.current = false
      }}
    >
      <Base.Trigger render={trigger} />
      <KindList
        {...choice}
        finalFocus={() => !chosen.current}
        onChoose={(kind) => {
          chosen.current = true
          choice.onChoose(kind)
        }}
      />
    </Base.Root>
  )
}

/** The same menu at a text, opened by a slash. */
export function SlashMenu({
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
      <KindList
        {...choice}
        anchor={() => handleOf(blockKey)?.closest("[data-block]") ?? null}
        finalFocus={() => false}
        onKeyDownCapture={onKeyDownCapture}
      />
    </Base.Root>
  )
}

function KindList({
  inColumn,
  onChoose,
  anchor,
  ...popup
}: ChoiceProps & {
  anchor?: () => Element | null
  finalFocus(): boolean
  onKeyDownCapture?(event: KeyboardEvent): void
}) {
  const kinds = useCanvas().kinds.filter((kind) => !inColumn || kind !== "columns")
  return (
    <Base.Portal>
      <Base.Positioner anchor={anchor} sideOffset={4} align="start" className="z-50">
        <Base.Popup
          aria-label="Blocks"
          {...popup}
          className="min-w-44 rounded-lg bg-raised p-1 shadow-float outline-none"
        >
          {kinds.map((kind) => {
            const { label, icon: Icon } = KINDS[kind]
            return (
              <Base.Item
                key={kind}
                label={label}
                onClick={() => onChoose(kind)}
                className="flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 select-none data-highlighted:bg-sunken"
              >
                <Icon size={14} aria-hidden className="text-muted" /> {label}
              </Base.Item>
            )
          })}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  )
}
