import { Button } from "./button.tsx"
import type { Column } from "./list.tsx"

/** The last column of a list: what ends the object of a row. */
export const dangerColumn = <Row,>(
  verb: string,
  nameOf: (row: Row) => string,
  onPress: (row: Row) => void,
): Column<Row> => ({
  head: "Actions",
  width: "80px",
  right: true,
  cell: (row) => (
    <Button small kind="danger" aria-label={`${verb} ${nameOf(row)}`} onClick={() => onPress(row)}>
      {verb}
    </Button>
  ),
})
