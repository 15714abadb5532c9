import type { Entry } from "./input.ts"

export const isHard = ({ data }: Entry) => data.bounceType === "Permanent"

export const isSoft = ({ data }: Entry) => data.bounceType === "Transient"

export const isNotSpam = ({ data }: Entry) => data.complaintFeedbackType === "not-spam"

/** A complaint that suppresses its recipient. */
export const isComplaint = (entry: Entry) => entry.type === "complained" && !isNotSpam(entry)
