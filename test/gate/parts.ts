/** What the gate or the nightly runs as one: a command, and what it takes on two quiet cores. */
export interface Part {
  name: string
  /** For the shell, with the programs of `node_modules`. */
  command: string
  seconds: number
}

/** A part of the nightly. A change below one of its paths makes the gate run it, too, or its short form. */
export interface NightlyPart extends Part {
  paths: readonly string[]
  short?: Omit<Part, "name">
}

const vitest = (projects: string, ...files: string[]) =>
  // Bundling the configuration first takes seven seconds.
  [
    "vitest run --configLoader native",
    ...projects.split(" ").map((name) => `--project ${name}`),
    ...files,
  ].join(" ")

const browser = (...names: string[]) =>
  vitest("browser", ...names.map((name) => `test/browser/${name}.test.ts`))

/** What each commit runs: types and style, all rules, and the whole system once from end to end. */
export const GATE: readonly Part[] = [
  { name: "check", command: "npm run check", seconds: 35 },
  { name: "test", command: "npm test", seconds: 240 },
  {
    name: "whole system",
    command: vitest(
      "seeds system browser",
      "test/faults/worlds",
      "test/system/dev.test.ts",
      "test/relay/protocol.test.ts",
      "test/relay/rules.test.ts",
      "test/operations/move-team.test.ts",
      "test/operations/capacity.test.ts",
      "test/browser/emails.test.ts",
      "test/browser/keyboard.test.ts",
    ),
    seconds: 220,
  },
]

/** Files that take long and that few folders can break: `npm test` leaves them to the nightly. */
const SLOW = {
  campaigns: [
    "test/worker/campaigns/campaigns.test.ts",
    "test/worker/campaigns/topics.test.ts",
    "test/worker/campaigns/sending.test.ts",
    "test/worker/campaigns/pause.test.ts",
    "test/worker/campaigns/segments.test.ts",
    "test/worker/segments/segments.test.ts",
  ],
  commandLine: ["test/command-line/examples.test.ts"],
  client: ["test/client/stream.test.ts", "test/worker/platform/http/client.test.ts"],
  domains: ["test/worker/domains/domains.test.ts"],
  examples: ["test/reference/refusals.test.ts", "test/reference/examples.test.ts"],
  imports: [
    "test/worker/contacts/events.test.ts",
    "test/worker/contacts/import.test.ts",
    "test/worker/resend/contact-imports.test.ts",
    "test/worker/resend/import.test.ts",
    "test/worker/resend/methods.test.ts",
  ],
  receivers: ["test/worker/webhooks/hanging.test.ts", "test/worker/webhooks/purging.test.ts"],
  erasure: [
    "test/worker/erasure/erasure.test.ts",
    "test/worker/erasure/traces.test.ts",
    "test/worker/removals/removals.test.ts",
    "test/worker/emails/packs.test.ts",
  ],
  minutes: ["test/worker/cron.test.ts"],
  moves: [
    "test/worker/teams/moving/move.test.ts",
    "test/worker/teams/moving/moved-team.test.ts",
    "test/worker/teams/moving/while-moving.test.ts",
  ],
  pacing: [
    "test/worker/emails/sending/rate-limit.test.ts",
    "test/worker/emails/sending/turns-of-teams.test.ts",
    "test/worker/emails/sending/provider-pause.test.ts",
  ],
  people: [
    "test/worker/access/people/every-call.test.ts",
    "test/worker/access/people/people.test.ts",
    "test/worker/access/people/second-factor.test.ts",
    "test/worker/access/people/social.test.ts",
    "test/worker/teams/members/members.test.ts",
  ],
  providers: [
    "test/worker/emails/raw/send.test.ts",
    "test/worker/providers/smtp.test.ts",
    "test/worker/providers/sns.test.ts",
    "test/worker/providers/cloudflare.test.ts",
    "test/worker/providers/ses.test.ts",
  ],
  sequences: ["test/worker/sequences/budgets.test.ts", "test/worker/sequences/volume.test.ts"],
  sizes: ["test/worker/platform/http/bounds.test.ts", "test/worker/platform/http/room.test.ts"],
  stream: ["test/worker/stream/stream.test.ts", "test/worker/stream/volume.test.ts"],
}

export const ONLY_NIGHTLY: readonly string[] = Object.values(SLOW).flat()

const ALL_SEEDS = [...Array.from({ length: 20 }, (_, index) => index + 1), 41, 73]

/** In the order in which the gate runs them, for as long as there is time. */
export const NIGHTLY: readonly NightlyPart[] = [
  {
    name: "campaigns",
    command: vitest("worker", ...SLOW.campaigns),
    seconds: 75,
    paths: ["src/worker/campaigns/", "src/worker/segments/", "src/worker/emails/sending/"],
  },
  {
    name: "erasure",
    command: vitest("worker", ...SLOW.erasure),
    seconds: 45,
    paths: [
      "src/worker/erasure/",
      "src/worker/removals/",
      "src/worker/emails/",
      "src/worker/teams/",
    ],
  },
  {
    name: "providers",
    command: vitest("worker", ...SLOW.providers),
    seconds: 35,
    paths: ["src/worker/providers/", "src/worker/emails/"],
  },
  {
    name: "pacing",
    command: vitest("worker", ...SLOW.pacing),
    seconds: 40,
    paths: ["src/worker/emails/sending/"],
  },
  {
    name: "domains",
    command: vitest("worker", ...SLOW.domains),
    seconds: 35,
    paths: ["src/worker/domains/"],
  },
  {
    name: "examples",
    command: vitest("worker", ...SLOW.examples),
    seconds: 30,
    paths: ["src/reference/", "src/worker/platform/http/"],
  },
  {
    name: "imports",
    command: vitest("worker", ...SLOW.imports),
    seconds: 30,
    paths: ["src/worker/contacts/", "src/worker/resend/", "src/command-line/"],
  },
  {
    name: "receivers",
    command: vitest("worker", ...SLOW.receivers),
    seconds: 30,
    paths: ["src/worker/webhooks/"],
  },
  {
    name: "people",
    command: vitest("worker", ...SLOW.people),
    seconds: 35,
    paths: ["src/worker/access/", "src/worker/teams/members/"],
  },
  {
    name: "sizes",
    command: vitest("worker", ...SLOW.sizes),
    seconds: 25,
    paths: ["src/worker/platform/", "src/worker/templates/", "src/worker/sandbox/"],
  },
  {
    name: "stream",
    command: vitest("worker", ...SLOW.stream),
    seconds: 45,
    paths: ["src/worker/stream/", "src/worker/access/"],
  },
  {
    name: "minutes",
    command: vitest("worker", ...SLOW.minutes),
    seconds: 15,
    paths: ["src/worker/cron.ts", "src/worker/platform/db/", "src/worker/consume.ts"],
  },
  {
    name: "moves",
    command: `${vitest("worker", ...SLOW.moves)} && ${vitest("seeds", "test/faults/move-cuts.test.ts")}`,
    seconds: 180,
    paths: ["src/worker/teams/moving/", "src/worker/cron.ts", "src/operations/databases.ts"],
  },
  {
    name: "command line",
    command: vitest(
      "client worker system-shared",
      ...SLOW.commandLine,
      ...SLOW.client,
      "test/system/command.test.ts",
    ),
    seconds: 190,
    paths: ["src/command-line/", "src/client/"],
  },
  {
    name: "relay",
    command: vitest("system system-shared", "test/relay"),
    seconds: 60,
    paths: ["src/relay/"],
  },
  {
    name: "seeds",
    command: `FAULT_SEED=${ALL_SEEDS} ${vitest("seeds", "test/faults/worlds")}`,
    seconds: 1100,
    short: { command: `FAULT_SEED=2,3,4,5 ${vitest("seeds", "test/faults/worlds")}`, seconds: 230 },
    paths: [
      "src/worker/emails/",
      "src/worker/providers/",
      "src/worker/campaigns/sending/",
      "src/worker/webhooks/",
      "src/worker/stream/",
      "src/worker/platform/queues/",
      "src/worker/erasure/",
      "src/worker/removals/",
      "src/worker/teams/",
      "src/worker/sequences/",
      "src/worker/received/",
      "src/worker/cron.ts",
      "src/worker/consume.ts",
    ],
  },
  {
    name: "seeds of three databases",
    command: vitest("seeds-databases"),
    seconds: 110,
    paths: ["src/worker/platform/db/", "src/worker/teams/moving/", "src/worker/providers/"],
  },
  {
    name: "consent",
    command: `${vitest("seeds", "test/faults/consent.test.ts", "test/faults/form-histories.test.ts")} && FORM_POSTS=20000 ${vitest("worker", "test/worker/forms/volume.test.ts")}`,
    seconds: 220,
    short: { command: vitest("seeds", "test/faults/consent.test.ts"), seconds: 40 },
    paths: ["src/worker/contacts/", "src/worker/topics/", "src/worker/forms/"],
  },
  {
    name: "sequences",
    command: `SEQUENCE_LIVES=40 ${vitest("worker", "test/worker/sequences/simulation.test.ts")}`,
    seconds: 180,
    paths: ["src/worker/sequences/definition/", "src/worker/sequences/running/"],
  },
  {
    name: "sequences at volume",
    command: `${vitest("worker", ...SLOW.sequences)} && SEQUENCE_CROWD=300 FAULT_SEED=14 ${vitest("seeds-databases", "test/faults/worlds/sequences.test.ts")}`,
    seconds: 240,
    short: { command: vitest("worker", ...SLOW.sequences), seconds: 40 },
    paths: ["src/worker/sequences/"],
  },
  {
    name: "malformed messages",
    command: `MALFORMED_MESSAGES=2000 ${vitest("worker", "test/worker/received/odd-messages.test.ts")}`,
    seconds: 60,
    paths: ["src/worker/received/", "src/worker/emails/raw/", "src/lib/dkim/"],
  },
  {
    name: "hostile requests",
    command: vitest("seeds", "test/proof/abuse"),
    seconds: 60,
    paths: ["src/worker/platform/http/", "src/worker/app.ts", "src/worker/access/"],
  },
  {
    name: "packages",
    command: vitest(
      "system system-shared",
      "test/system/package.test.ts",
      "test/system/own-package.test.ts",
      "test/system/bundle.test.ts",
      "test/system/installation.test.ts",
    ),
    seconds: 60,
    paths: ["package.json", "package-lock.json", "wrangler.toml", "src/operations/pack.ts"],
  },
  {
    name: "documents",
    command: vitest(
      "system system-shared",
      "test/system/documents.test.ts",
      "test/system/docs.test.ts",
      "test/system/openapi.test.ts",
      "test/system/usage.test.ts",
      "test/system/examples.test.ts",
      "test/system/dashboard-snippets.test.ts",
    ),
    seconds: 197,
    paths: ["docs/", "README.md", "src/reference/", "src/client/"],
  },
  {
    name: "operations",
    command: vitest("system", "test/operations", "test/system/restore.test.ts"),
    seconds: 170,
    paths: ["src/operations/", "src/worker/platform/installation/", "migrations/", "wrangler.toml"],
  },
  {
    name: "dashboard server",
    command: vitest("system", "test/system/dashboard-server.test.ts"),
    seconds: 15,
    paths: ["src/dashboard/vite.config.ts", "src/dashboard/api/"],
  },
  {
    name: "browser",
    command: "node test/browser/main.ts",
    seconds: 900,
    short: {
      command: browser("campaigns", "templates", "contacts", "webhooks", "first-load"),
      seconds: 170,
    },
    paths: ["src/dashboard/"],
  },
  {
    name: "processes",
    command: vitest(
      "system",
      "test/system/campaign-kill.test.ts",
      "test/system/secrets.test.ts",
      "test/system/renames.test.ts",
      "test/system/long-statements.test.ts",
      "test/chaos",
    ),
    seconds: 120,
    paths: ["src/worker/platform/"],
  },
  {
    name: "measured",
    command: "npm run test:measured",
    seconds: 260,
    paths: ["src/worker/emails/content/", "src/worker/received/", "src/lib/"],
  },
  {
    name: "generators",
    command: "npm run test:generators",
    seconds: 60,
    paths: ["src/reference/document.ts", "test/generators/"],
  },
  {
    name: "one database",
    command: vitest("worker client"),
    seconds: 350,
    short: { command: vitest("worker", "test/worker/platform/db"), seconds: 40 },
    paths: ["migrations/"],
  },
  {
    name: "three databases",
    command: `${vitest("worker-3")} --mode three`,
    seconds: 350,
    short: {
      command: `${vitest("worker-3", "test/worker/platform", "test/worker/emails/accept.test.ts")} --mode three`,
      seconds: 60,
    },
    paths: ["src/worker/platform/db/", "src/worker/platform/queues/"],
  },
]
