const ENTRIES = "^src/worker/([^/]+[.]ts$|resend/|mcp/)"
const BELOW_NOUNS = "^src/(worker/platform|lib)/"

/** What other programs read of the Worker: its contract, and rules that are pure functions. */
const CONTRACT = [
  "^src/worker/.*(contract|shapes|statuses|types|input)[.]ts$",
  "^src/worker/platform/http/(endpoint|errors)[.]ts$",
  "^src/worker/access/people/roles[.]ts$",
  "^src/worker/campaigns/(blocks/[a-z-]+|body)[.]ts$",
  "^src/worker/contacts/(import/(import-limits|read-import)|unsubscribe/page)[.]ts$",
  "^src/worker/domains/receiving-modes[.]ts$",
  "^src/worker/emails/check/sizes[.]ts$",
  "^src/worker/forms/(field-names|hosted/page)[.]ts$",
  "^src/worker/segments/(filter|groups|times)[.]ts$",
  "^src/worker/stats/alerts[.]ts$",
  "^src/worker/templates/(design|render|stricter-variables)[.]ts$",
]

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-circle-of-values",
      severity: "error",
      from: { path: "^src/" },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-circle-across-folders",
      severity: "error",
      from: { path: "^(src/.+)/[^/]+$" },
      to: { circular: true, via: { pathNot: "^$1/[^/]+$" } },
    },
    {
      name: "a-noun-imports-no-entry",
      severity: "error",
      from: { path: "^src/worker/", pathNot: ENTRIES },
      to: { path: ENTRIES },
    },
    {
      name: "the-platform-knows-no-noun",
      severity: "error",
      from: { path: "^src/worker/platform/" },
      to: { path: "^src/", pathNot: BELOW_NOUNS },
    },
    {
      name: "lib-imports-only-lib",
      severity: "error",
      from: { path: "^src/lib/" },
      to: { path: "^src/", pathNot: "^src/lib/" },
    },
    {
      name: "the-worker-imports-no-program",
      severity: "error",
      from: { path: "^src/worker/" },
      to: { path: "^src/", pathNot: "^src/(worker|lib)/" },
    },
    {
      name: "programs-meet-at-the-contract-and-the-client",
      severity: "error",
      from: { path: "^src/(client|command-line|dashboard|relay)/" },
      to: { path: "^src/", pathNot: ["^src/$1/", "^src/(lib|client)/", ...CONTRACT] },
    },
  ],
  options: { tsPreCompilationDeps: true, parser: "swc", doNotFollow: "node_modules" },
}
