import type { Hono } from "hono"
import type { Ctx } from "../platform/context.ts"
import { invalid } from "../platform/http/errors.ts"
import { type HttpEnv, route } from "../platform/http/route.ts"
import { getAudience } from "./audience.ts"
import { type Block, indexOfHtml } from "./blocks/contract.ts"
import {
  createCampaign,
  getCampaign,
  listCampaignRows,
  listCampaigns,
  updateCampaign,
} from "./campaigns.ts"
import * as contract from "./contract.ts"
import { listCampaignRows as rowsContract } from "./dashboard-contract.ts"
import { deleteCampaign } from "./delete.ts"
import { cancelCampaign } from "./run/cancel.ts"
import * as run from "./run/contract.ts"
import { pauseCampaign, resumeCampaign } from "./run/pause.ts"

/** Loaded when a campaign starts: it renders the blocks. */
const start = () => import("./run/start.ts")

export function campaignRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createCampaign, async (ctx, { json }) => {
    await refuseHtmlByKey(ctx, json.blocks)
    return createCampaign(ctx, json)
  })
  route(app, contract.listCampaigns, (ctx, { query }) => listCampaigns(ctx, query))
  route(app, contract.getCampaign, (ctx, { params }) => getCampaign(ctx, params.id))
  route(app, contract.updateCampaign, async (ctx, { params, json }) => {
    await refuseHtmlByKey(ctx, json.blocks)
    return updateCampaign(ctx, params.id, json)
  })
  route(app, contract.deleteCampaign, (ctx, { params }) => deleteCampaign(ctx, params.id))
  route(app, contract.getAudience, (ctx, { params }) => getAudience(ctx, params.id))
  route(app, run.scheduleCampaign, async (ctx, { params, json }) =>
    (await start()).scheduleCampaign(ctx, params.id, json.scheduledAt),
  )
  route(app, run.sendCampaign, async (ctx, { params }) =>
    (await start()).sendCampaign(ctx, params.id),
  )
  route(app, run.cancelCampaign, (ctx, { params }) => cancelCampaign(ctx, params.id))
  route(app, run.pauseCampaign, (ctx, { params }) => pauseCampaign(ctx, params.id))
  route(app, run.resumeCampaign, (ctx, { params }) => resumeCampaign(ctx, params.id))
}

/** A call that only a session may make. */
export function campaignRowRoutes(app: Hono<HttpEnv>): void {
  route(app, rowsContract, (ctx, { query }) => listCampaignRows(ctx, query))
}

/** A program writes blocks, which look right in every mail client. */
async function refuseHtmlByKey(ctx: Ctx, blocks: readonly Block[] = []): Promise<void> {
  const index = indexOfHtml(blocks)
  if (index !== -1 && (await ctx.caller()).key) {
    const path = ["blocks", index, "kind"]
    throw invalid(path, "HTML may be written in the editor or sent to /resend only")
  }
}
