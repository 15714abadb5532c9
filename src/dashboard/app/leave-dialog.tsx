import { Confirm } from "../ui/dialog/dialog.tsx"
import { question } from "../ui/dialog/unsaved.ts"

/** Asks before unsaved work is left. */
export function LeaveDialog() {
  const asked = question.use()
  if (!asked) return null
  return (
    <Confirm
      open
      onOpenChange={() => asked.answer(false)}
      title={asked.text}
      action="Leave"
      keep="Stay"
      onConfirm={async () => asked.answer(true)}
    />
  )
}
