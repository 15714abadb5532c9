import { Ellipsis } from "lucide-react"
import { IconButton } from "../button.tsx"
import type { Column } from "../list/list.tsx"
import { Menu, type MenuItems } from "./menu.tsx"

/** The actions on the object of a row. */
export const RowMenu = ({ name, items }: { name: string; items: MenuItems }) => (
  <Menu
    trigger={
      <IconButton small label={`Actions for ${name}`} className="w-7">
        <Ellipsis size={14} aria-hidden />
      </IconButton>
    }
    items={items}
  />
)

/** The last column of a list. A row without actions has no menu. */
export const menuColumn = <Row,>(
  nameOf: (row: Row) => string,
  itemsOf: (row: Row) => MenuItems,
): Column<Row> => ({
  head: "Actions",
  isHeadHidden: true,
  width: "28px",
  right: true,
  phone: true,
  cell: (row) => {
    const items = itemsOf(row)
    return items.some(Boolean) && <RowMenu name={nameOf(row)} items={items} />
  },
})
