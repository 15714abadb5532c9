import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { listSequenceRows } from "./dashboard-contract.ts"
import * as ofRuns from "./runs/contract.ts"
import { listRunRows } from "./runs/dashboard-contract.ts"
import * as ofSimulation from "./simulation/contract.ts"

/** Most calls of an installation are others: the first one here loads the code. */
export function sequenceRoutes(app: Hono<HttpEnv>): void {
  const record = () => import("./sequences.ts")
  const moves = () => import("./move.ts")
  const runs = () => import("./runs/runs.ts")
  route(app, contract.createSequence, async (ctx, { json }) =>
    (await record()).createSequence(ctx, json),
  )
  route(app, contract.listSequences, async (ctx, { query }) =>
    (await record()).listSequences(ctx, query),
  )
  route(app, contract.getSequence, async (ctx, { params }) =>
    (await record()).getSequence(ctx, params.id),
  )
  route(app, contract.updateSequence, async (ctx, { params, json }) =>
    (await record()).updateSequence(ctx, params.id, json),
  )
  route(app, contract.deleteSequence, async (ctx, { params }) =>
    (await record()).deleteSequence(ctx, params.id),
  )
  route(app, contract.activateSequence, async (ctx, { params }) =>
    (await moves()).activateSequence(ctx, params.id),
  )
  route(app, contract.pauseSequence, async (ctx, { params }) =>
    (await moves()).pauseSequence(ctx, params.id),
  )
  route(app, contract.archiveSequence, async (ctx, { params }) =>
    (await moves()).archiveSequence(ctx, params.id),
  )
  route(app, contract.resumeSequence, async (ctx, { params }) =>
    (await moves()).resumeSequence(ctx, params.id),
  )
  route(app, ofRuns.startRuns, async (ctx, { params, json }) =>
    (await runs()).startRuns(ctx, params.id, json.contactIds),
  )
  route(app, ofRuns.listRuns, async (ctx, { params, query }) =>
    (await runs()).listRuns(ctx, params.id, query),
  )
  route(app, ofRuns.listSteps, async (ctx, { params }) => (await runs()).listSteps(ctx, params.id))
  route(app, ofSimulation.previewSequence, async (ctx, { params, json }) => {
    const { previewSequence } = await import("./simulation/preview.ts")
    return previewSequence(ctx, params.id, json.steps)
  })
  route(app, ofSimulation.simulateSequence, async (ctx, { params, json }) => {
    const { simulateSequence } = await import("./simulation/simulate.ts")
    return simulateSequence(ctx, params.id, json)
  })
  route(app, ofRuns.getRun, async (ctx, { params }) => (await runs()).getRun(ctx, params.id))
  route(app, ofRuns.endRun, async (ctx, { params }) => (await runs()).endRun(ctx, params.id))
  route(app, ofRuns.skipStep, async (ctx, { params }) => (await runs()).skipStep(ctx, params.id))
}

/** Calls that only a session may make. */
export function sequenceRowRoutes(app: Hono<HttpEnv>): void {
  route(app, listSequenceRows, async (ctx, { query }) =>
    (await import("./sequences.ts")).listSequenceRows(ctx, query),
  )
  route(app, listRunRows, async (ctx, { query }) =>
    (await import("./runs/run-rows.ts")).listRunRows(ctx, query),
  )
}
