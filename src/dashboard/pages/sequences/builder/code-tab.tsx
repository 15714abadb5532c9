import { useState } from "react"
import { sequenceSteps } from "../../../../worker/sequences/definition/steps-contract.ts"
import { inWords } from "../../../ui/form/issue-words.ts"
import { CodeField } from "../../templates/editor/code-field.tsx"
import { type Editing, withKeys } from "../use-sequence.ts"

const toText = (steps: unknown) => JSON.stringify(steps, null, 2)

/** The steps as the API takes them. What the API would refuse stays here until it is right. */
export function CodeTab({ editing }: { editing: Editing }) {
  const shown = toText(editing.value.steps)
  const [typed, setTyped] = useState<{ text: string; of: string; fault: string | undefined }>()
  const isTyped = typed !== undefined && (typed.fault !== undefined || typed.of === shown)
  const change = (text: string) => {
    const { steps, fault } = readSteps(text)
    setTyped({ text, of: steps ? toText(steps) : shown, fault })
    if (steps) editing.change((now) => ({ ...now, steps: withKeys(steps) }), "code")
  }
  return (
    <div className="grid gap-2 [--pane:max(400px,60dvh)]">
      <p className="text-muted">The steps, as the API takes them.</p>
      <CodeField
        label="Steps as JSON"
        value={isTyped ? typed.text : shown}
        onChange={change}
        findings={NONE}
      />
      {isTyped && typed.fault && (
        <p role="alert" data-unsaved className="text-xs text-failed wrap-anywhere">
          Not applied: {typed.fault}
        </p>
      )}
    </div>
  )
}

const NONE: never[] = []

function readSteps(text: string) {
  try {
    const { data, error } = sequenceSteps.safeParse(JSON.parse(text), { error: inWords })
    const [issue] = error?.issues ?? []
    return {
      steps: data,
      fault: issue && [issue.path.join("."), issue.message].filter(Boolean).join(": "),
    }
  } catch (error) {
    return { steps: undefined, fault: error instanceof Error ? error.message : String(error) }
  }
}
