import { expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { statementOf } from "../../../src/worker/platform/db/statement.ts"
import { makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

it("a query names the team in the same way before and after the key is checked", async () => {
  const team = await makeTeam()
  const ctx = createKeyCtx(testWork().work, sha256Hex(team.api.key), "full")
  const before = statementOf(ctx.team)
  await ctx.caller()
  expect(statementOf(ctx.team)).toEqual(before)
})
