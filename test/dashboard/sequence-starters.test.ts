import { expect, it } from "vitest"
import { SEQUENCE_STARTERS } from "../../src/dashboard/pages/sequences/starters/starters.ts"
import { readPlaceholders } from "../../src/worker/campaigns/blocks/merge.ts"
import { textsOf } from "../../src/worker/campaigns/blocks/texts.ts"
import { createSequence } from "../../src/worker/sequences/contract.ts"
import { allSteps } from "../../src/worker/sequences/definition/steps-contract.ts"

const { trigger, steps, entry, goal } = createSequence.json.shape

it("there are five, each with a name of its own", () => {
  expect(new Set(SEQUENCE_STARTERS.map(({ name }) => name)).size).toBe(5)
})

it.each(SEQUENCE_STARTERS)("$name is a sequence that the API accepts", ({ content }) => {
  expect(trigger.parse(content.trigger)).toMatchObject(content.trigger)
  expect(entry.parse(content.entry)).toBe(content.entry ?? "once")
  expect(goal.parse(content.goal)).toEqual(content.goal ?? null)
  const read = steps.parse(content.steps)
  expect(read).toMatchObject(content.steps ?? [])
  const mails = allSteps(read).filter((step) => step.kind === "send")
  expect(mails.length).toBeGreaterThan(0)
  for (const { subject, blocks = [] } of mails) {
    const found = [subject, ...blocks.flatMap(textsOf)].flatMap((text) => {
      const { unknown, isBroken } = readPlaceholders(text, { inSubject: text === subject })
      return [...unknown, ...(isBroken ? [text] : [])]
    })
    expect(found).toEqual([])
  }
})
