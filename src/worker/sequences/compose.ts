import { and, eq } from "drizzle-orm"
import { gzip } from "../../lib/gzip.ts"
import { textsOf } from "../campaigns/blocks/texts.ts"
import { type ComposedBody, composeBody } from "../campaigns/body.ts"
import { readReferences } from "../campaigns/references.ts"
import { refuseTooLong, refuseUnfilled } from "../campaigns/run/start.ts"
import type { Work } from "../platform/context.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { objectKeyOf, type Stored, store } from "../platform/db/overflow.ts"
import { ApiError } from "../platform/http/errors.ts"
import type { Sender } from "../teams/contract.ts"
import { templates } from "../templates/table.ts"
import { topics } from "../topics/table.ts"
import { allSteps, type SendStep, type Step } from "./definition/steps-contract.ts"
import type { SequenceRow } from "./table.ts"
import { composeTemplate } from "./template-body.ts"

type Composable = Pick<
  SequenceRow,
  "teamId" | "id" | "bookId" | "topicId" | "domainId" | "sender" | "trigger" | "steps"
>

interface StepBody {
  stepKey: string
  body: ComposedBody
  /** The merge fields that a contact must have. */
  required: string[]
}

export type StoredBody = Omit<StepBody, "body"> & Stored

const sendSteps = (steps: readonly Step[]) =>
  allSteps(steps).filter((step): step is SendStep => step.kind === "send")

/** Refuses references that mail cannot be sent with. Answers whom its footer names. */
export async function readSender(work: Work, row: Composable): Promise<Sender> {
  const { trigger } = row
  const { team } = await readReferences(work, row.teamId, {
    ...row,
    segmentId: trigger.on === "segment" ? trigger.segmentId : null,
    headerLayoutId: null,
    footerLayoutId: null,
  })
  return team
}

/** The body of each step that sends, as it would be frozen now. */
export async function composeSteps(
  work: Work,
  { teamId, steps }: Pick<Composable, "teamId" | "steps">,
  sender: Sender,
): Promise<StepBody[]> {
  const sending = sendSteps(steps)
  const found = await readTemplates(work, teamId, sending)
  return sending.map((step) => {
    const { key: stepKey, subject, preheader, blocks, templateId } = step
    refuseUnfilled({ subject: [subject], preheader: [preheader ?? ""] })
    if (blocks === undefined) {
      const template = found.find(({ id }) => id === templateId)
      if (!template) throw unknownTemplate()
      return { stepKey, ...composeTemplate(template, { preheader, sender }) }
    }
    refuseUnfilled({ steps: blocks.flatMap(textsOf) })
    const body = composeBody({
      subject,
      preheader,
      blocks,
      sender,
      header: [],
      footer: [],
      theme: null,
    })
    refuseTooLong(body)
    return { stepKey, body, required: [] }
  })
}

/** A step that sets topics names those of the team. */
export async function refuseUnknownTopics(
  work: Work,
  { teamId, steps }: Pick<Composable, "teamId" | "steps">,
): Promise<void> {
  const ids = allSteps(steps).flatMap((step) =>
    step.kind === "set" ? Object.keys(step.topics ?? {}) : [],
  )
  if (ids.length === 0) return
  const found = await work.db
    .select({ id: topics.id })
    .from(topics)
    .where(and(eq(topics.teamId, teamId), isOneOf(topics.id, ids)))
  if (ids.some((id) => !found.some((one) => one.id === id))) {
    throw new ApiError("validation_error", "Topic not found.", { field: "steps" })
  }
}

const unknownTemplate = () =>
  new ApiError("validation_error", "Template not found.", { field: "steps" })

async function readTemplates(work: Work, teamId: string, sending: readonly SendStep[]) {
  const ids = sending.flatMap(({ templateId }) => templateId ?? [])
  if (ids.length === 0) return []
  const found = await work.db
    .select()
    .from(templates)
    .where(and(eq(templates.teamId, teamId), isOneOf(templates.id, ids)))
  if (ids.some((id) => !found.some((one) => one.id === id))) throw unknownTemplate()
  return found
}

/** The bodies of a sequence, large ones in R2. */
export async function storeBodies(
  work: Work,
  { teamId, id }: Pick<Composable, "teamId" | "id">,
  bodies: readonly StepBody[],
): Promise<StoredBody[]> {
  const stored: StoredBody[] = []
  for (const { body, ...rest } of bodies) {
    const place = await store(work.env, gzip(JSON.stringify(body)), () =>
      objectKeyOf("campaigns", teamId, `${id}/${crypto.randomUUID()}`),
    )
    stored.push({ ...rest, ...place })
  }
  return stored
}
