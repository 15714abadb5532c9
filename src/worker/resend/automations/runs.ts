import type { Hono } from "hono"
import * as z from "zod"
import { notFound } from "../../platform/http/errors.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import * as contract from "../../sequences/runs/contract.ts"
import { getRun, listRuns } from "../../sequences/runs/runs.ts"
import { getSequence } from "../../sequences/sequences.ts"
import type { Wire } from "../../webhooks/resend-records.ts"
import { unsupported } from "../errors.ts"
import { listQuery, toList, toPageQuery } from "../lists.ts"
import { serve, shown } from "../route.ts"
import { toGraph } from "./graph.ts"

const RUN_STATUSES = { waiting: "running", held: "failed" } as const

function statusOf({ state, endedBy }: Wire<typeof contract.run>) {
  if (state !== "done") return RUN_STATUSES[state]
  return endedBy === "finished" ? "completed" : "cancelled"
}

/** A page of Resend's API begins at a run that was shown: behind an empty page there is no next one. */
const SCANNED_RUNS = 20_000

export function runRoutes(app: Hono<HttpEnv>): void {
  const { listRuns: runs, getRun: run } = contract
  const query = listQuery.extend({ status: z.string().optional() })
  serve(app, `GET /automations/:id/runs`, runs, { query }, async (ctx, { params, query }) => {
    const { status, ...page } = query
    const state = { running: "waiting", failed: "held" }[status ?? ""] as "waiting" | "held"
    if (status !== undefined && !state) {
      throw unsupported(
        "status",
        "List all runs, those that are `running`, or those that are `failed`.",
      )
    }
    const found = await listRuns(ctx, params.id!, { ...toPageQuery(page), state }, SCANNED_RUNS)
    return toList(shown(runs, found), toRun)
  })
  serve(app, `GET /automations/:id/runs/:runId`, run, {}, async (ctx, { params }) => {
    const found = shown(run, await getRun(ctx, params.runId!))
    const sequence = await getSequence(ctx, params.id!)
    if (found.sequenceId !== sequence.id) throw notFound("Run")
    const graph = toGraph(sequence.steps, "")
    const types = new Map(graph?.steps.map(({ key, type }) => [key, type]))
    return {
      object: "automation_run",
      ...toRun(found),
      steps: found.history.map(({ stepKey, at, outcome, emailId }) => ({
        key: stepKey,
        type: types.get(stepKey) ?? null,
        status: outcome === "skipped" ? "skipped" : "completed",
        output: emailId === null ? null : { email_id: emailId },
        error: null,
        started_at: at,
        completed_at: at,
        created_at: at,
      })),
    }
  })
}

const toRun = (run: Wire<typeof contract.run>) => ({
  id: run.id,
  status: statusOf(run),
  started_at: run.startedAt,
  completed_at: run.endedAt,
  created_at: run.startedAt,
})
