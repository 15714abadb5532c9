import {
  Bell,
  CircleStop,
  Clock,
  GitBranch,
  Hourglass,
  type LucideIcon,
  Mail,
  Shuffle,
  UserPen,
} from "lucide-react"
import type { Step } from "../../../../worker/sequences/definition/steps-contract.ts"
import { freshKey } from "./tree.ts"

export type Kind = Step["kind"]

export const KINDS: Record<Kind, { label: string; icon: LucideIcon }> = {
  send: { label: "Email", icon: Mail },
  wait: { label: "Wait", icon: Clock },
  waitFor: { label: "Wait for an event", icon: Hourglass },
  branch: { label: "Branch", icon: GitBranch },
  split: { label: "Split test", icon: Shuffle },
  set: { label: "Change contact", icon: UserPen },
  notify: { label: "Notify webhooks", icon: Bell },
  end: { label: "End", icon: CircleStop },
}

const BASES: Record<Kind, string> = {
  send: "email",
  wait: "wait",
  waitFor: "event",
  branch: "branch",
  split: "split",
  set: "change",
  notify: "notify",
  end: "end",
}

/** A step to fill in, with a key that the sequence does not have yet. */
export function newStep(kind: Kind, steps: readonly Step[]): Step {
  const key = freshKey(steps, BASES[kind])
  switch (kind) {
    case "send":
      return { key, kind, subject: "", preheader: null, blocks: [{ kind: "text", html: "" }] }
    case "wait":
      return { key, kind, for: "1d" }
    case "waitFor":
      // biome-ignore lint/suspicious/noThenProperty: A member of the contract.
      return { key, kind, event: "", timeout: "3d", then: [], else: [] }
    case "branch":
      return { key, kind, cases: [newCase()], else: [] }
    case "split":
      return { key, kind, parts: [newPart(), newPart()] }
    case "set":
      return { key, kind, properties: {} }
    default:
      return { key, kind }
  }
}

/** The fields begin with a condition that is still empty. */
export const newCase = (): Extract<Step, { kind: "branch" }>["cases"][number] => ({
  filter: { all: [{ field: "email", op: "contains", value: "" }] },
  steps: [],
})

export const newPart = (): Extract<Step, { kind: "split" }>["parts"][number] => ({
  weight: 1,
  steps: [],
})
