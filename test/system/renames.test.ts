import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/** Raw SQL in the `readers` has these names. */
const RENAMES = [
  {
    name: "eventTypes",
    file: "src/worker/emails/table.ts",
    what: "a column",
    readers: ["emails/outcomes/move-status", "emails/outcomes/record.sql", "campaigns/counts"],
  },
  {
    name: "waveBounced",
    file: "src/worker/campaigns/table.ts",
    what: "a column",
    readers: ["campaigns/counts"],
  },
  {
    name: "quarters",
    file: "src/worker/stats/table.ts",
    what: "a column",
    readers: ["stats/counters"],
  },
  {
    name: "sequence",
    file: "src/worker/webhooks/events/table.ts",
    what: "a column",
    readers: [
      "webhooks/events/store",
      "erasure/timelines",
      "webhooks/events/feed",
      "webhooks/events/backfill",
      "webhooks/events/purge",
    ],
  },
  {
    name: "restsUntil",
    file: "src/worker/webhooks/events/table.ts",
    what: "a column",
    readers: [
      "webhooks/deliveries/sweep",
      "webhooks/deliveries/dispatch",
      "webhooks/events/catch-up",
    ],
  },
  {
    name: "eventId",
    file: "src/worker/webhooks/events/table.ts",
    what: "a column",
    readers: [
      "webhooks/deliveries/deliveries",
      "webhooks/deliveries/replay",
      "webhooks/events/rewrite",
    ],
  },
  {
    name: "changes",
    file: "src/worker/stream/table.ts",
    what: "a column",
    readers: ["stream/outbox"],
  },
  {
    name: "contactId",
    file: "src/worker/emails/table.ts",
    what: "a column",
    readers: ["campaigns/sending/mail-batch.sql", "campaigns/sending/campaign-mail"],
  },
  {
    name: "suppressionId",
    file: "src/worker/emails/outcomes/suppress.ts",
    what: "a key of JSON rows",
    readers: ["emails/outcomes/suppress"],
  },
  {
    name: "errorBefore",
    file: "src/worker/emails/rewrite.ts",
    what: "a key of JSON rows",
    readers: ["emails/rewrite"],
  },
  {
    name: "lastKey",
    file: "src/worker/contacts/table.ts",
    what: "a column",
    readers: ["contacts/import/import-chunk.sql"],
  },
  {
    name: "subscribedCount",
    file: "src/worker/contacts/table.ts",
    what: "a column",
    readers: ["contacts/counts"],
  },
  {
    name: "templateId",
    file: "src/worker/templates/table.ts",
    what: "a column",
    readers: ["templates/templates"],
  },
  {
    name: "mailedHash",
    file: "src/worker/access/people/table.ts",
    what: "a column",
    readers: ["teams/members/join", "teams/members/invitations"],
  },
  {
    name: "label",
    file: "src/worker/teams/audit/table.ts",
    what: "a column",
    readers: ["teams/audit/entry", "teams/audit/audit-log"],
  },
  {
    name: "checkAt",
    file: "src/worker/domains/table.ts",
    what: "a column",
    readers: ["domains/check"],
  },
  {
    name: "emailId",
    file: "src/worker/emails/table.ts",
    what: "a column",
    readers: ["emails/retention/retention", "emails/rewrite", "emails/accept/insert"],
  },
  {
    name: "domainId",
    file: "src/worker/access/keys/table.ts",
    what: "a column",
    readers: ["access/key-guard", "access/keys/keys"],
  },
  {
    name: "domain_id",
    file: "src/worker/platform/db/caller.ts",
    what: "a column of a computed table",
    readers: [
      "access/key-guard",
      "access/people/sessions/session",
      "access/team-ctx",
      "emails/accept/verdict",
    ],
  },
  {
    name: "webhook_id",
    file: "src/worker/webhooks/events/store.ts",
    what: "a column of a computed table",
    readers: ["webhooks/events/store", "emails/outcomes/move-status", "campaigns/sending/ends"],
  },
  {
    name: "last_team",
    file: "src/worker/emails/sending/choose.ts",
    what: "a column of a computed table",
    readers: ["emails/sending/claim.sql"],
  },
  {
    name: "team_turn",
    file: "src/worker/emails/sending/choose.ts",
    what: "a column of a computed table",
    readers: ["emails/sending/choose"],
  },
  {
    name: "sent_at",
    file: "src/worker/emails/outcomes/move-status.ts",
    what: "a column of a computed table",
    readers: ["emails/outcomes/move-status"],
  },
  {
    name: "occurred_at",
    file: "src/worker/emails/outcomes/new-events.ts",
    what: "a column of a computed table",
    readers: ["emails/timeline", "emails/outcomes/move-status", "stats/counters"],
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
        .some((line) => line.startsWith(`src/worker/${reader}.ts`) && line.includes(`'${name}'`)),
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
