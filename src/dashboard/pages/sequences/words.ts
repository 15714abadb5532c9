import type { Sequence } from "../../../client/types.ts"
import type { Condition, SegmentFilter } from "../../../worker/segments/filter.ts"
import { groupOf, isGroup } from "../../../worker/segments/groups.ts"
import type { Step } from "../../../worker/sequences/definition/steps-contract.ts"
import { counted, percent } from "../../ui/numbers.ts"
import { conditionWords } from "../segments/words.ts"

const UNITS: Record<string, string> = { d: "day", h: "hour", m: "minute" }

/** `3d` becomes "3 days". */
const durationWords = (text: string) => {
  const unit = UNITS[text.slice(-1)]
  const amount = Number(text.slice(0, -1))
  return unit && amount > 0 ? counted(amount, unit) : "a time"
}

export const DAY_NAMES = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
} as const

const list = new Intl.ListFormat("en", { type: "disjunction" })

/** "Monday or Friday"; nothing for every day. */
const dayWords = (days: readonly (keyof typeof DAY_NAMES)[] | undefined) =>
  days && days.length < 7 ? list.format(days.map((day) => DAY_NAMES[day])) : ""

/** The name of a step, as its card has it. */
export function stepTitle(step: Step): string {
  switch (step.kind) {
    case "wait":
      return step.until
        ? ["Wait until", dayWords(step.until.days), step.until.time].filter(Boolean).join(" ")
        : `Wait ${durationWords(step.for ?? "")}`
    case "waitFor":
      return `Wait for ${step.event || "an event"}`
    case "send":
      return step.subject || "Email without a subject"
    case "branch":
      return "Branch by conditions"
    case "split":
      return `Split into ${counted(step.parts.length, "part")}`
    case "set":
      return "Change the contact"
    case "notify":
      return "Notify webhooks"
    case "end":
      return "End"
  }
}

/** The second line of a card. */
export function stepDetail(step: Step): string {
  switch (step.kind) {
    case "waitFor":
      return `At most ${durationWords(step.timeout)}`
    case "send":
      return step.templateId === undefined ? "Email" : "Email from a template"
    case "set":
      return Object.entries(step.properties ?? {})
        .map(([name, value]) => `${name} = ${value}`)
        .join(", ")
    default:
      return ""
  }
}

/** What leads into a path of a step. */
export function pathTitle(step: Step, path: string): string {
  switch (step.kind) {
    case "waitFor":
      return path === "then"
        ? `${step.event || "The event"} happened`
        : `After ${durationWords(step.timeout)}`
    case "branch":
      return path === "else" ? "Everyone else" : filterWords(step.cases[Number(path)]?.filter)
    case "split": {
      // A field that is empty for now has no number.
      const weights = step.parts.map(({ weight }) => weight || 0)
      const total = weights.reduce((sum, weight) => sum + weight, 0)
      return total > 0 ? percent((weights[Number(path)] ?? 0) / total) : ""
    }
    default:
      return ""
  }
}

const NO_NAMES = new Map<string, string>()

/** The first condition, and how many more there are. */
function filterWords(filter: SegmentFilter | undefined): string {
  if (!filter) return ""
  const { items } = groupOf(filter)
  const [first] = items.flatMap((item) => (isGroup(item) ? groupOf<Condition>(item).items : item))
  if (!first || first.value === "") return "A condition"
  const more = items.length - 1
  return `${conditionWords(first, NO_NAMES)}${more > 0 ? `, and ${more} more` : ""}`
}

/** Who enters, after "Starts". */
export function triggerWords(
  { trigger }: Pick<Sequence, "trigger">,
  segments: readonly { id: string; name: string }[] = [],
): string {
  switch (trigger.on) {
    case "subscribed":
      return trigger.imports
        ? "when somebody subscribes or is imported"
        : "when somebody subscribes"
    case "segment": {
      const name = segments.find(({ id }) => id === trigger.segmentId)?.name
      return `when a contact begins to match ${name ? `“${name}”` : "a segment"}`
    }
    case "event":
      return `with the event ${trigger.name || "…"}`
    case "call":
      return "when your code calls the API"
  }
}

const ENDS: Record<string, string> = {
  finished: "Finished",
  goal: "Reached the goal",
  reply: "Replied",
  unsubscribed: "Unsubscribed",
  suppressed: "Address was suppressed",
  deleted: "Contact was deleted",
  person: "Ended by a person",
  archived: "Sequence was archived",
}

/** An end that is new to the contract keeps its name. */
export const endWords = (endedBy: string | null) => ENDS[endedBy ?? ""] ?? endedBy ?? ""
