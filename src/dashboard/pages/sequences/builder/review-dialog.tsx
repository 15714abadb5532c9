import { useQuery } from "@tanstack/react-query"
import type { PreviewSequenceInput, Sequence } from "../../../../client/types.ts"
import type { Step } from "../../../../worker/sequences/definition/steps-contract.ts"
import { api } from "../../../api/api.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { ErrorBox } from "../../../ui/form/error-box.tsx"
import { counted } from "../../../ui/numbers.ts"
import { Loaded } from "../../../ui/waiting.tsx"
import type { Editing } from "../use-sequence.ts"
import { stepTitle } from "../words.ts"
import { stepOf } from "./tree.ts"

interface Props {
  sequence: Sequence
  editing: Editing
  onClose(): void
}

/** The last step before people who are in the sequence are moved. */
export default function ReviewDialog({ sequence, editing, onClose }: Props) {
  const { value, saving } = editing
  const preview = useQuery({
    queryKey: ["sequences", "preview", sequence.id, value.steps],
    queryFn: () =>
      api.sequences.preview(sequence.id, { steps: value.steps } as PreviewSequenceInput),
    staleTime: 0,
  })
  const before = sequence.steps as Step[]
  const nameOf = (steps: readonly Step[], key: string) => {
    const step = stepOf(steps, key)
    return step ? `“${stepTitle(step)}”` : key
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Review changes"
      description="Saving makes the next version. Emails that are queued already stay as they were."
    >
      <form
        className="grid gap-4"
        onSubmit={async (event) => {
          event.preventDefault()
          await saving.flush()
        }}
      >
        <Loaded query={preview} lines={2}>
          {({ runs, stay, moved }) => (
            <ul className="grid gap-1" aria-label="What happens to people">
              {runs === 0 && <li>Nobody is in this sequence now.</li>}
              {stay > 0 && <li>{counted(stay, "person stays", "people stay")} at their step.</li>}
              {moved.map(({ from, to, runs }) => (
                <li key={from} className="wrap-anywhere">
                  {to === null
                    ? `${counted(runs, "person", "people")} in ${nameOf(before, from)}: finished, since nothing comes after it.`
                    : `${counted(runs, "person moves", "people move")} from ${nameOf(before, from)} to ${nameOf(value.steps, to)}.`}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
        {saving.error !== null && <ErrorBox error={saving.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back to editing</Button>
          <Button kind="primary" type="submit" busy={saving.busy}>
            Save version {editing.latest + 1}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
