import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/** Raw SQL in the `readers` has these names. */
const RENAMES = [
  {
    name: "eventTypes",
    file: "src/emails/table.ts",
    what: "a column",
    readers: ["outcomes/move-status", "outcomes/record", "outcomes/campaign-counts"],
  },
  {
    name: "waveBounced",
    file: "src/campaigns/table.ts",
    what: "a column",
    readers: ["outcomes/campaign-counts"],
  },
  { name: "quarters", file: "src/stats/table.ts", what: "a column", readers: ["stats/counters"] },
  {
    name: "sequence",
    file: "src/events/table.ts",
    what: "a column",
    readers: [
      "events/store",
      "erasure/timelines",
      "webhooks/feed",
      "webhooks/backfill",
      "webhooks/purge",
    ],
  },
  {
    name: "probeAt",
    file: "src/events/table.ts",
    what: "a column",
    readers: ["webhooks/sweep", "webhooks/claim", "events/new-deliveries"],
  },
  {
    name: "eventId",
    file: "src/events/table.ts",
    what: "a column",
    readers: ["webhooks/deliveries", "webhooks/replay", "events/rewrite"],
  },
  {
    name: "changes",
    file: "src/stream/table.ts",
    what: "a column",
    readers: ["stream/sweep", "stream/outbox"],
  },
  {
    name: "contactId",
    file: "src/emails/table.ts",
    what: "a column",
    readers: ["sending/mail-batch", "sending/campaign-mail"],
  },
  {
    name: "suppressionId",
    file: "src/outcomes/suppress.ts",
    what: "a key of JSON rows",
    readers: ["outcomes/suppress"],
  },
  {
    name: "errorBefore",
    file: "src/emails/rewrite.ts",
    what: "a key of JSON rows",
    readers: ["emails/rewrite"],
  },
  {
    name: "lastKey",
    file: "src/contacts/table.ts",
    what: "a column",
    readers: ["contacts/import"],
  },
  {
    name: "subscribedCount",
    file: "src/contacts/table.ts",
    what: "a column",
    readers: ["contacts/counts"],
  },
  {
    name: "templateId",
    file: "src/templates/table.ts",
    what: "a column",
    readers: ["templates/templates"],
  },
  {
    name: "mailedHash",
    file: "src/people/table.ts",
    what: "a column",
    readers: ["members/accept-invitation", "members/invitations"],
  },
  {
    name: "label",
    file: "src/audit/table.ts",
    what: "a column",
    readers: ["audit/entry", "audit/audit-log"],
  },
  {
    name: "checkAt",
    file: "src/domains/table.ts",
    what: "a column",
    readers: ["domains/check"],
  },
  {
    name: "emailId",
    file: "src/emails/table.ts",
    what: "a column",
    readers: ["emails/retention", "emails/rewrite", "emails/insert"],
  },
  {
    name: "domainId",
    file: "src/keys/table.ts",
    what: "a column",
    readers: ["keys/guard", "keys/keys"],
  },
  {
    name: "domain_id",
    file: "src/db/fixed.ts",
    what: "a column of a computed table",
    readers: ["keys/guard", "people/session", "owners/tell", "emails/accept-sql", "emails/verdict"],
  },
  {
    name: "webhook_id",
    file: "src/events/store.ts",
    what: "a column of a computed table",
    readers: ["events/store", "outcomes/move-status", "sending/campaign-ends"],
  },
  {
    name: "last_team",
    file: "src/sending/choose.ts",
    what: "a column of a computed table",
    readers: ["sending/rate-limit"],
  },
  {
    name: "team_turn",
    file: "src/sending/choose.ts",
    what: "a column of a computed table",
    readers: ["sending/choose"],
  },
  {
    name: "sent_at",
    file: "src/outcomes/move-status.ts",
    what: "a column of a computed table",
    readers: ["outcomes/move-status"],
  },
  {
    name: "occurred_at",
    file: "src/outcomes/record.ts",
    what: "a column of a computed table",
    readers: ["emails/timeline", "outcomes/move-status", "stats/counters"],
  },
]

describe("the compiler, in a copy of the sources with some renames,", () => {
  const copy = mkdtempSync(join(tmpdir(), "edgepost-renames-"))
  let errors = ""

  beforeAll(() => {
    for (const path of ["src", "tsconfig.json"]) cpSync(path, join(copy, path), { recursive: true })
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"))
    for (const { name, file } of RENAMES) {
      const path = join(copy, file)
      const definition = new RegExp(`\\b${name}(?=[:"])`)
      writeFileSync(path, readFileSync(path, "utf8").replace(definition, `renamed_${name}`))
    }
    errors = spawnSync(resolve("node_modules/.bin/tsc"), { cwd: copy, encoding: "utf8" }).stdout
  })

  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it.each(RENAMES)("fails where SQL has $what by its old name, $name", ({ name, readers }) => {
    const failed = readers.filter((reader) =>
      errors
        .split("\n")
        .some((line) => line.startsWith(`src/${reader}.ts`) && line.includes(`'${name}'`)),
    )
    expect(failed).toEqual(readers)
  })

  it("fails nowhere else", () => {
    const unexpected = errors
      .split("\n")
      .filter(
        (line) => line.includes("error TS") && !RENAMES.some(({ name }) => line.includes(name)),
      )
    expect(unexpected).toEqual([])
  })
})
