import { useQuery } from "@tanstack/react-query"
import type { EmailWithEvents } from "../../../client/types.ts"
import { useMay } from "../../app/people.ts"
import { Button } from "../../ui/button.tsx"
import { removeSuppression } from "../suppressions/remove.ts"
import { suppressionsQuery } from "./email/recipients.ts"

/** A button for each suppressed recipient. */
export function RemoveSuppressions({ email }: { email: EmailWithEvents }) {
  const { manage } = useMay()
  const { data = [] } = useQuery({ ...suppressionsQuery(email), enabled: manage })
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {data.map((suppression) => (
        <Button key={suppression.id} onClick={() => removeSuppression(suppression)}>
          {data.length > 1 ? `Remove suppression of ${suppression.email}` : "Remove suppression"}
        </Button>
      ))}
    </div>
  )
}
