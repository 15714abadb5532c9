import type { LucideIcon } from "lucide-react"
import {
  cloneElement,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  Suspense,
  useState,
} from "react"
import { lazy } from "../../app/lazy.ts"

interface MenuItem {
  label: ReactNode
  icon?: LucideIcon
  onSelect(): void
  danger?: boolean
  /** The action puts the focus elsewhere, so it does not go back to the button. */
  movesFocus?: boolean
}
export type MenuItems = readonly (MenuItem | false | null)[]

const MenuList = lazy(() => import("./menu-list.tsx"))

/** A button with a list of actions, whose code is loaded when it is first pressed. */
export function Menu({ trigger, items }: { trigger: ReactElement<object>; items: MenuItems }) {
  const [wanted, setWanted] = useState<"keyboard" | "mouse" | null>(null)
  const button = cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    // The browser counts clicks of the mouse, and not those of a key.
    onClick: ({ detail }: MouseEvent) => setWanted(detail === 0 ? "keyboard" : "mouse"),
    onBlur: () => setWanted(null),
  } as object)
  if (!wanted) return button
  return (
    <Suspense fallback={button}>
      <MenuList trigger={trigger} items={items} startsAtItem={wanted === "keyboard"} />
    </Suspense>
  )
}
