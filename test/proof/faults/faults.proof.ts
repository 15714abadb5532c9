import { env } from "cloudflare:workers"
import { beforeAll, expect, it } from "vitest"
import { hasOthers } from "../../../src/worker/platform/db/databases.ts"
import { KIND_NAMES, type Kind, kindOf } from "../../faults/checks/kinds.ts"
import { createJournals } from "../../faults/journal.ts"
import { runSeed, type SeedRun, type WorldName, worldNames } from "../../faults/seed.ts"
import { workerEnv } from "../../support/installation.ts"

const COUNT = Number(env.FAULT_SEEDS || 5)
const FROM = Number(env.FAULT_FROM || 1)

const names = worldNames()
const worldOf = (seed: number) => names[seed % names.length] as WorldName
const SEVERAL = hasOthers(workerEnv())
const seeds = Array.from({ length: COUNT }, (_, index) => FROM + index)

interface Tally {
  seeds: number
  emails: number
  handovers: number
  excused: number
  wrong: number
}
const byWorld = new Map<WorldName, Tally>()
const excuses = new Map<string, number>()
const wrongs = new Map<Kind, number>(KIND_NAMES.map((kind) => [kind, 0]))

beforeAll(createJournals)

it.each(seeds)(
  "seed %i",
  async (seed) => {
    const world = worldOf(seed)
    const run = await runSeed(world, seed)
    count(world, run)
    if (env.FAULT_SEEDS) await keep(seed)
    expect(run.wrongs, run.said).toEqual([])
  },
  600_000,
)

function count(world: WorldName, run: SeedRun): void {
  const { seeds, emails, handovers, excused, wrong } = byWorld.get(world) ?? {
    seeds: 0,
    emails: 0,
    handovers: 0,
    excused: 0,
    wrong: 0,
  }
  byWorld.set(world, {
    seeds: seeds + 1,
    emails: emails + run.emails,
    handovers: handovers + run.handovers,
    excused: excused + sum(run.excuses.values()),
    wrong: wrong + run.wrongs.length,
  })
  for (const [excuse, times] of run.excuses) excuses.set(excuse, (excuses.get(excuse) ?? 0) + times)
  for (const wrong of run.wrongs) wrongs.set(kindOf(wrong), (wrongs.get(kindOf(wrong)) ?? 0) + 1)
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((a, b) => a + b, 0)

/** After each seed, so that a run that is broken off says how far it came. */
async function keep(last: number): Promise<void> {
  const total = (name: keyof Tally) => sum([...byWorld.values()].map((tally) => tally[name]))
  const result = {
    name: SEVERAL
      ? "Faults of an installation with three databases"
      : "Faults of everything that the service depends on",
    command: `npm run faults -- --seeds ${last - FROM + 1} --from ${FROM}${SEVERAL ? " --databases 3" : ""}`,
    seeds: [`${FROM} to ${last}`],
    figures: {
      seeds: total("seeds"),
      emails: total("emails"),
      "hand-overs": total("handovers"),
      ...Object.fromEntries(wrongs),
      ...Object.fromEntries([...excuses].map(([excuse, times]) => [`excused: ${excuse}`, times])),
    },
    table: {
      columns: ["world", "seeds", "emails", "hand-overs", "excused", "wrong"],
      rows: [...byWorld].map(([world, tally]) => [world, ...Object.values(tally)]),
    },
    shows: SEVERAL ? SHOWS_OF_SEVERAL : SHOWS,
    doesNotShow: DOES_NOT_SHOW,
  }
  const file = SEVERAL ? "faults-databases" : "faults"
  await env.RESULTS.fetch(`http://results/${file}`, {
    method: "POST",
    body: JSON.stringify(result),
  })
}

const SHOWS =
  "The whole Worker accepts, sends, reports and tells while its calls fail, hang, lose their answers or kill the process, and while queues lose, double and delay messages. Each seed is also one of these worlds: mail to the sandbox, which has a journal of its hand-overs; a provider outside with a journal of its own, which refuses, hangs, answers late, is away for hours, and reports late, twice or never; outages of the database, the queues, the bucket or the stream, of a second to two hours; clocks up to an hour ahead or behind, some of which jump; and evictions of the stream's objects, whose readers come again. Meanwhile mail is sent at once and later, cancelled and sent in campaigns, contacts change and are imported, readers open and click, webhooks are created, changed, disabled, enabled, given new secrets and deleted, in each third seed whose clocks are right a third team is deleted, and contents move to packs beside an erasure. In the end, each second seed whose clocks are right goes back to a moment among its faults: the address that was erased and the keys that were revoked since are so again, and nothing is stuck. In the other seeds all contents expire, then all records, and the counters stay. The judge compares what callers, receivers, readers and the provider know with the database. An event goes to the webhooks that were enabled and subscribed to it at its commit, signed with a secret that was valid. Of a deleted team nothing is sent or told by a process that began later, and no row or object stays. A hand-over may be repeated only with an excuse, which is counted: between it and the commit of its record the process died, the provider's answer was lost, the record was refused or came late, the report waited in its queue while the database was away, or a clock was off by more than the second that the service promises to bear. An event that waited for room while its webhook's subscription changed is counted too: it is delivered as the webhook subscribes by then."
const SHOWS_OF_SEVERAL =
  "The same with a directory and a database for each of two teams: the faults of calls, queues and processes, every second seed with outages of one database, the queues, the bucket or the stream, and half of them with mail to a provider outside, whose rate an object shares out in every third seed, and dies now and then. In each tenth seed an operator moves a team meanwhile, to the directory or to where the other team is, and takes some moves back; a move that was taken back is asked for again. Afterwards the keys of before find the team, no row of it is elsewhere, and each team reads what is its own and nothing of the other."
const DOES_NOT_SHOW =
  "Cloudflare's own D1, queues and objects under load. Faults that neither the list above nor a seed has. With a clock that is off by more than a second, mail may go out early or twice: this is counted, not wrong."
