import { useQuery } from "@tanstack/react-query"
import type { Step } from "../../../../worker/sequences/definition/steps-contract.ts"
import { teamQuery } from "../../../api/queries.ts"
import { Button } from "../../../ui/button.tsx"
import { BlockCanvas } from "../../blocks/canvas/canvas.tsx"
import type { Draft } from "../../blocks/draft/draft.ts"
import { fieldsOf, sampleQuery } from "../../campaigns/data.ts"
import type { Editing } from "../use-sequence.ts"
import { stepTitle } from "../words.ts"
import { stepOf, update } from "./tree.ts"

interface Props {
  step: Extract<Step, { kind: "send" }>
  bookId: string
  editing: Editing
  onClose(): void
}

/** The mail of a step, on the canvas of campaigns. */
export function MailEditor({ step, bookId, editing, onClose }: Props) {
  const { data: sample = [] } = useQuery(sampleQuery(bookId))
  const { data: team } = useQuery(teamQuery)
  const { key } = step
  return (
    <div className="grid min-w-0 gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={onClose} autoFocus>
          Back to the steps
        </Button>
        <h2 className="min-w-0 text-[15px]/5 font-semibold wrap-anywhere">{stepTitle(step)}</h2>
      </div>
      <BlockCanvas
        blocks={(step.blocks ?? []) as Draft[]}
        theme={null}
        sender={team ?? { name: "", postalAddress: null }}
        history={editing}
        mergeFields={fieldsOf(sample, null)}
        onChange={(next, field) =>
          editing.change((now) => {
            const before = stepOf(now.steps, key)
            const blocks = next(before?.kind === "send" ? ((before.blocks ?? []) as Draft[]) : [])
            return {
              ...now,
              steps: update(now.steps, key, (one) => Object.assign({ ...one }, { blocks })),
            }
          }, field)
        }
      />
    </div>
  )
}
