import { availableParallelism } from "node:os"
import { writeResult } from "../proof/result.ts"
import { COUNTED_TIMES, type Counts, compareCounts, countCalls } from "./databases-counts.ts"
import { createJob } from "./jobs.ts"
import { createLoader, type Loader } from "./loader.ts"
import { apiCalls, laterMessage } from "./operations.ts"
import { type Platform, startPlatform } from "./platform.ts"
import { cpuMs, watchCores } from "./process.ts"
import { median, printTable } from "./table.ts"

const COUNTS = [1, 2, 4]
const CONNECTIONS = 8

interface Plan {
  directory: string
  limits: string
  port: number
  seconds: number
  rounds: number
  /** How many emails each database sends in a round. */
  queued: number
}

/** A team in a database, with a process of workerd that serves it. */
interface Member {
  platform: Platform
  loader: Loader
}

interface Run {
  accepts: Pace
  sends: Pace
}

interface Pace {
  aSecond: number
  cpuMsEach: number
  busyCores: number
}

/**
 * Installations with one, two and four databases, each with a team that works. A process of workerd
 * has one thread for its Workers and databases, so each team has a process; all databases are bound
 * in each, and the counts show that its calls ask only their own.
 */
export async function measureDatabases(plan: Plan) {
  const installations = new Map<number, Member[]>()
  let port = plan.port
  for (const count of COUNTS) {
    const members: Member[] = []
    for (let number = 1; number <= count; number++, port += 3) {
      const ports = { edgepost: port, bare: port + 1, recorder: port + 2, inspector: 0 }
      const options = { ...plan, databases: count, teamIn: number }
      const platform = await startPlatform(ports, options)
      members.push({ platform, loader: createLoader(platform.workerd) })
    }
    installations.set(count, members)
  }
  try {
    const counts = new Map<number, Counts[]>()
    for (const [count, members] of installations) {
      counts.set(count, await Promise.all(members.map(({ platform }) => countCalls(platform))))
    }
    const runs = new Map<number, Run[]>(COUNTS.map((count) => [count, []]))
    for (let round = 0; round < plan.rounds; round++) {
      for (const [count, members] of installations) {
        runs.get(count)?.push({
          accepts: await accept(members, plan.seconds),
          sends: await sendAll(members, plan.queued),
        })
      }
    }
    keep(plan, runs, counts)
  } finally {
    for (const { platform, loader } of [...installations.values()].flat()) {
      loader.close()
      await platform.dispose()
    }
  }
}

async function accept(members: readonly Member[], seconds: number): Promise<Pace> {
  const stop = watchCores()
  const loads = await Promise.all(
    members.map(({ platform, loader }) =>
      loader.run({
        ...{ port: platform.ports.edgepost, status: 201, connections: CONNECTIONS, seconds },
        call: apiCalls(platform).api("POST", "/emails", laterMessage()),
      }),
    ),
  )
  const sum = (of: (load: (typeof loads)[number]) => number) =>
    loads.reduce((total, load) => total + of(load), 0)
  return {
    aSecond: sum(({ calls, seconds }) => calls / seconds),
    cpuMsEach: sum((load) => load.cpuMs) / sum(({ calls }) => calls),
    busyCores: stop(),
  }
}

async function sendAll(members: readonly Member[], queued: number): Promise<Pace> {
  const jobs = await Promise.all(
    members.map(({ platform }) => createJob(platform, queued, "sending")),
  )
  const cpu = () => members.reduce((sum, { platform }) => sum + cpuMs(platform.workerd), 0)
  const [before, startedAt] = [cpu(), performance.now()]
  const stop = watchCores()
  await Promise.all(jobs.map((job) => job?.()))
  const emails = queued * members.length
  const seconds = (performance.now() - startedAt) / 1000
  return {
    aSecond: emails / seconds,
    cpuMsEach: (cpu() - before) / emails,
    busyCores: stop(),
  }
}

function keep({ queued }: Plan, runs: Map<number, Run[]>, counts: Map<number, Counts[]>) {
  const cores = availableParallelism()
  const one = runs.get(1) as Run[]
  const compare = (count: number, of: (run: Run) => Pace) => {
    const rounds = runs.get(count) as Run[]
    const ratio = (value: (pace: Pace) => number) =>
      median(rounds.map((run, round) => value(of(run)) / value(of(one[round] as Run)))).toFixed(2)
    return {
      pace: ratio(({ aSecond }) => aSecond),
      perCpu: ratio(({ cpuMsEach }) => 1 / cpuMsEach),
      busy: median(rounds.map((run) => of(run).busyCores)).toFixed(1),
    }
  }
  const figures: Record<string, string | number> = { "cores of the machine": cores }
  const lines = COUNTS.map((count) => {
    const accepts = compare(count, (run) => run.accepts)
    const sends = compare(count, (run) => run.sends)
    const named = `${count} ${count === 1 ? "database" : "databases"}`
    figures[`accepts a second with ${named}, to one`] = accepts.pace
    figures[`sends a second with ${named}, to one`] = sends.pace
    figures[`accepts a CPU second with ${named}, to one`] = accepts.perCpu
    figures[`sends a CPU second with ${named}, to one`] = sends.perCpu
    figures[`cores busy while ${named} accept and send`] = `${accepts.busy}, ${sends.busy}`
    return [
      named,
      accepts.pace,
      accepts.perCpu,
      accepts.busy,
      sends.pace,
      sends.perCpu,
      sends.busy,
      "",
    ]
  })
  console.log("\nSeveral databases, to one in the same round")
  printTable(
    [
      "",
      "accepts a second",
      "a CPU second",
      "cores busy",
      "sends a second",
      "a CPU second",
      "cores busy",
      "",
    ],
    lines,
  )
  const limit = `The machine has ${cores} cores, which ${Math.max(...COUNTS)} processes of workerd, the programs that make the load and whatever else runs share. Where nearly all cores are busy, the machine is the limit, not the design: then a second cannot have more, and emails a CPU second tell whether a further database makes a call dearer.`
  console.log(limit)
  const { rows, differing, elsewhere, mostRead } = compareCounts(counts)
  writeResult("databases", {
    name: "Several databases beside one",
    command: `npm run bench -- --parts databases --queued ${queued}`,
    figures: {
      ...figures,
      "operations whose round trips or written rows differ from those with one database": differing,
      "rows read more than with one database, at most": `${(100 * mostRead).toFixed(1)} percent`,
      "round trips of these operations to another database than the team's": elsewhere,
    },
    shows: `Installations with one, two and four local databases, a working team in each, in turn. Each team is served by a process of workerd of its own, since a process runs its Workers and databases in one thread; every process has all databases of its installation bound. Accepts come over ${CONNECTIONS} connections a team; ${queued} queued emails a team are claimed, handed over and recorded. ${limit} The table counts the same operations in each database: round trips and rows are the databases' own figures, of the cheapest of ${COUNTED_TIMES} times. With several databases, each batch of outcomes also reads whether its teams are still in this database, two rows a team.`,
    doesNotShow:
      "Production, more databases than cores at full speed, and what databases share in production: a Worker's isolates, the object of the provider's rate, queues. Each process has its own of these.",
    table: {
      columns: [
        ...["operation", "round trips", "rows written", "both in each of 2 and 4 databases"],
        ...["rows read", "in each of 2 and 4"],
      ],
      rows,
    },
  })
  if (differing + elsewhere > 0) process.exitCode = 1
}
