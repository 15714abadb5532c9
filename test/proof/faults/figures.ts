import { KIND_NAMES } from "../../faults/checks/kinds.ts"
import type { Result } from "../result.ts"
import type { Outcome } from "./faults.proof.ts"

interface Run {
  from: number
  /** Databases of the installation. */
  databases: number
  /** Seeds that were wrong before, and were run again after a mend. */
  runAgain: number
}

/** The figures of the seeds that have run so far. */
export function resultOf(
  outcomes: readonly Outcome[],
  { from, databases, runAgain }: Run,
): Omit<Result, "date" | "machine"> {
  const isOne = databases === 1
  const last = Math.max(...outcomes.map(({ seed }) => seed))
  const wrongs = outcomes.flatMap((one) => one.wrongs)
  const excuses = outcomes.flatMap((one) => one.excuses)
  const timesOf = (name: string) => sum(excuses.map(([one, times]) => (one === name ? times : 0)))
  return {
    name: isOne
      ? "Faults of everything that the service depends on"
      : "Faults of an installation with three databases",
    command: `npm run faults -- --seeds ${last - from + 1} --from ${from}${isOne ? "" : ` --databases ${databases}`}`,
    seeds: [`${from} to ${last}`],
    figures: {
      ...totals(outcomes),
      ...Object.fromEntries(
        KIND_NAMES.map((kind) => [kind, wrongs.filter((one) => one === kind).length]),
      ),
      ...(runAgain > 0 && { "seeds run again after a mend": runAgain }),
      ...Object.fromEntries(
        [...new Set(excuses.map(([name]) => name))]
          .sort()
          .map((name) => [`excused: ${name}`, timesOf(name)]),
      ),
    },
    table: {
      columns: ["world", "seeds", "emails", "hand-overs", "excused", "wrong"],
      rows: [...Map.groupBy(outcomes, ({ world }) => world)].map(([world, ofWorld]) => [
        world,
        ...Object.values(totals(ofWorld)),
        sum(ofWorld.flatMap((one) => one.excuses.map(([, times]) => times))),
        sum(ofWorld.map((one) => one.wrongs.length)),
      ]),
    },
    shows: isOne ? SHOWS : SHOWS_OF_SEVERAL,
    doesNotShow: DOES_NOT_SHOW,
  }
}

const totals = (outcomes: readonly Outcome[]) => ({
  seeds: outcomes.length,
  emails: sum(outcomes.map(({ emails }) => emails)),
  "hand-overs": sum(outcomes.map(({ handovers }) => handovers)),
})

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

const SHOWS =
  "The whole Worker accepts, sends, reports and tells while its calls fail, hang, lose their answers or kill the process, and while queues lose, double and delay messages. Each seed is also one of these worlds: mail to the sandbox, which has a journal of its hand-overs; a provider outside with a journal of its own, which refuses, hangs, answers late, is away for hours, and reports late, twice or never; outages of the database, the queues, the bucket or the stream, of a second to two hours; clocks up to an hour ahead or behind, some of which jump; and evictions of the stream's objects, whose readers come again. Meanwhile mail is sent at once and later, cancelled and sent in campaigns, contacts change and are imported, readers open and click, webhooks are created, changed, disabled, enabled, given new secrets and deleted, in each third seed whose clocks are right a third team is deleted, and contents move to packs beside an erasure. In the end, each second seed whose clocks are right goes back to a moment among its faults: the address that was erased and the keys that were revoked since are so again, and nothing is stuck. In the other seeds all contents expire, then all records, and the counters stay. The judge compares what callers, receivers, readers and the provider know with the database. An event goes to the webhooks that were enabled and subscribed to it at its commit, signed with a secret that was valid. Of a deleted team nothing is sent or told by a process that began later, and no row or object stays. A hand-over may be repeated only with an excuse, which is counted: between it and the commit of its record the process died, the provider's answer was lost, the record was refused or came late, the report waited in its queue while the database was away, or a clock was off by more than the second that the service promises to bear. An event that waited for room while its webhook's subscription changed is counted too: it is delivered as the webhook subscribes by then."
const SHOWS_OF_SEVERAL =
  "The same worlds with a directory and a database for each of two teams. An outage may be of one database. In every third seed with a provider outside, an object shares out its rate, and dies now and then. In each seventh seed an operator moves a team meanwhile, to the directory or to where the other team is, and takes some moves back; a move that was taken back is asked for again. What was sent while the team is fenced waits in the queue of reports, which loses none of them in these seeds. Afterwards the keys of before find the team, no row of it is elsewhere, and each team reads what is its own and nothing of the other."
const DOES_NOT_SHOW =
  "Cloudflare's own D1, queues and objects under load. Faults that neither the list above nor a seed has. With a clock that is off by more than a second, mail may go out early or twice: this is counted, not wrong."
