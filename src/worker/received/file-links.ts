import { HOUR_MS } from "../../lib/time.ts"
import { readToken, signToken } from "../../lib/token.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { databaseNumber } from "../platform/db/databases.ts"
import { notFound, orNotFound } from "../platform/http/errors.ts"
import { workOfLink } from "../teams/moving/team-database.ts"
import { openAttachment } from "./attachment.ts"
import { openRaw } from "./get.ts"
import { selectReceived } from "./list.ts"

const PURPOSE = "received-file"

interface FileLink {
  teamId: string
  database: number
  receivedId: string
  /** Null is the whole message. */
  attachmentId: string | null
  expiresAt: number
}

/** Tokens with which anybody may read a file of a message for an hour. */
export async function createFileTokens(ctx: Ctx) {
  const { team } = await ctx.caller()
  const expiresAt = ctx.now() + HOUR_MS
  const tokenOf = (receivedId: string, attachmentId: string | null) =>
    signToken(ctx.settings.SIGNING_KEY, PURPOSE, {
      teamId: team.id,
      database: databaseNumber(ctx.env),
      receivedId,
      attachmentId,
      expiresAt,
    } satisfies FileLink)
  return { tokenOf, expiresAt }
}

export async function openFile(work: Work, token: string): Promise<Response> {
  const link = readToken(work.settings.SIGNING_KEY, PURPOSE, token) as FileLink | null
  if (!link || link.expiresAt <= work.now()) throw notFound("File")
  const there = await workOfLink(work, link)
  const [found] = await selectReceived({ db: there.db, team: link.teamId }, link.receivedId)
  const row = orNotFound(found, "File")
  if (link.attachmentId !== null) return openAttachment(there, row, link.attachmentId)
  const raw = await openRaw(there, row)
  raw.headers.set("content-disposition", "attachment")
  return raw
}
