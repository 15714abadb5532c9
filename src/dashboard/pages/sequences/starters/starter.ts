import type { CreateSequenceInput, SequenceStep } from "../../../../client/types.ts"

/** A sequence to begin with. What the author has to replace is in brackets. */
export interface SequenceStarter {
  name: string
  about: string
  content: Pick<CreateSequenceInput, "trigger" | "steps" | "entry" | "goal">
}

/** A mail of a heading, texts and, if it leads somewhere, a button. */
export const mail = (
  key: string,
  subject: string,
  [heading, ...texts]: readonly [string, ...string[]],
  button?: { label: string; url: string },
): SequenceStep => ({
  key,
  kind: "send",
  subject,
  blocks: [
    { kind: "heading", level: 1, text: heading },
    ...texts.map((html) => ({ kind: "text" as const, html })),
    ...(button ? [{ kind: "button" as const, ...button }] : []),
  ],
})

export const wait = (key: string, duration: string): SequenceStep => ({
  key,
  kind: "wait",
  for: duration,
})
