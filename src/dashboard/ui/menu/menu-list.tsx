import { Menu as Base } from "@base-ui/react/menu"
import { type ComponentProps, type ReactElement, useRef } from "react"
import { cx } from "../cx.ts"
import type { MenuItems } from "./menu.tsx"

interface Props {
  trigger: ReactElement
  items: MenuItems
  /** The first item has the focus, as in each menu that a key opens. */
  startsAtItem: boolean
}

/** Opens at once: its trigger was pressed while this was loading. */
export default function MenuList({ trigger, items, startsAtItem }: Props) {
  const focusMoves = useRef(false)
  const isAtItem = useRef(!startsAtItem)
  return (
    <Base.Root
      defaultOpen
      onOpenChange={(open) => {
        if (open) focusMoves.current = false
      }}
    >
      <Base.Trigger render={trigger} />
      <MenuPopup
        align="end"
        finalFocus={() => !focusMoves.current}
        onFocus={({ target, currentTarget }) => {
          if (isAtItem.current || target !== currentTarget) return
          isAtItem.current = true
          currentTarget.querySelector<HTMLElement>("[role=menuitem]")?.focus()
        }}
        items={items.map(
          (item) =>
            item && {
              ...item,
              onSelect: () => {
                focusMoves.current = item.movesFocus ?? false
                item.onSelect()
              },
            },
        )}
      />
    </Base.Root>
  )
}

interface PopupProps {
  items: MenuItems
  align: "start" | "end"
  anchor?: () => Element | null
}

export const MenuPopup = ({
  items,
  align,
  anchor,
  ...popup
}: PopupProps & ComponentProps<typeof Base.Popup>) => (
  <Base.Portal>
    <Base.Positioner anchor={anchor} sideOffset={4} align={align} className="z-50">
      <Base.Popup
        {...popup}
        className="min-w-44 rounded-lg bg-raised p-1 shadow-float outline-none"
      >
        {items.map(
          (item, index) =>
            item && (
              <Base.Item
                key={String(index)}
                onClick={item.onSelect}
                className={cx(
                  "flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 select-none data-highlighted:bg-sunken",
                  item.danger && "text-failed",
                )}
              >
                {item.icon && <item.icon size={14} aria-hidden className="text-muted" />}
                {item.label}
              </Base.Item>
            ),
        )}
      </Base.Popup>
    </Base.Positioner>
  </Base.Portal>
)
