import { useQuery } from "@tanstack/react-query"
import type { readMarks } from "../../../../worker/emails/list/contract.ts"
import { call } from "../../../api/api.ts"
import type { ReplyOf } from "../../../api/session.ts"

export type Marks = ReplyOf<typeof readMarks>["data"][number]

const EMAILS_A_CALL = 100
/** Rows that appear together share a call. */
const COLLECT_MS = 30

/** Whether an email was opened and clicked, and why it bounced. Only rows on screen ask. */
export const useMarks = (id: string): Marks | null | undefined =>
  useQuery({
    // Read again when the email changes, as all that begins so.
    queryKey: ["email", id, "marks"],
    queryFn: () => readOne(id),
    staleTime: Number.POSITIVE_INFINITY,
  }).data

let collecting: { ids: string[]; answer: Promise<Map<string, Marks>> } | undefined

async function readOne(id: string): Promise<Marks | null> {
  if (!collecting || collecting.ids.length === EMAILS_A_CALL) collecting = collect()
  collecting.ids.push(id)
  return (await collecting.answer).get(id) ?? null
}

function collect() {
  const ids: string[] = []
  const answer = new Promise((resolve) => setTimeout(resolve, COLLECT_MS)).then(async () => {
    if (collecting?.ids === ids) collecting = undefined
    return readMarksOf(ids)
  })
  return { ids, answer }
}

/** Of at most 100 emails. */
export async function readMarksOf(ids: readonly string[]): Promise<Map<string, Marks>> {
  const query = { ids: ids.join(",") }
  const { data } = await call<typeof readMarks>({ method: "GET", path: "/email-marks", query })
  return new Map(data.map((marks) => [marks.id, marks]))
}
