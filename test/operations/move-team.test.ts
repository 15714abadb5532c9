import { DatabaseSync } from "node:sqlite"
import { beforeEach, describe, expect, it } from "vitest"
import { newId } from "../../src/lib/id.ts"
import type { Failure } from "../../src/operations/install/failure.ts"
import { migrationFiles, readMigration } from "../../src/operations/migrations.ts"
import { cancelMove, type Databases, listMoves, moveTeam } from "../../src/operations/move-team.ts"

const migrations = migrationFiles().map(readMigration)

let stores: DatabaseSync[]
let databases: Databases
let teamId: string
let shown: string[]

beforeEach(() => {
  stores = [1, 2, 3].map(() => new DatabaseSync(":memory:"))
  for (const store of stores) for (const migration of migrations) store.exec(migration)
  databases = {
    known: [{ number: 1 }, { number: 2 }, { number: 3, jurisdiction: "eu" }],
    query: async <Row>(number: number, sql: string) =>
      stores[number - 1]?.prepare(sql).all() as Row[],
  }
  teamId = newId("team")
  run(2, `insert into teams (id, name, created_at) values ('${teamId}', 'Acme', 1)`)
  run(1, `insert into team_databases values ('${teamId}', 'Acme', 0, 2, 1)`)
  shown = []
})

const run = (number: number, sql: string) => stores[number - 1]?.exec(sql)

/** `worker` is what the Worker does between two looks. */
const move = (to: number, worker: (look: number) => void = () => {}, more = {}) => {
  let looks = 0
  return moveTeam(
    databases,
    { teamId, to, mayLeave: false, ...more },
    {
      report: (line) => shown.push(line),
      sleep: async () => worker(++looks),
      now: () => 10_000,
    },
  )
}

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing",
    (failure: Failure) => failure.message,
  )

const arrive = () =>
  run(1, `update team_moves set phase = 'kept', fenced_at = 1000, opened_at = 3500`)

describe("moving a team", () => {
  it("shows what waits, the copy, and how long the team could not write", async () => {
    await move(1, (look) => {
      if (look === 1) run(1, "update team_moves set phase = 'draining'")
      else if (look === 2)
        run(1, "update team_moves set phase = 'copying', moved = 700, fenced_at = 9000")
      else arrive()
    })
    const text = shown.join("\n")
    expect(text).toContain("mail and deliveries wait until those in flight have ended")
    expect(text).toContain("700 rows are copied. The team has not been able to write for 1 s.")
    expect(text).toContain("The team is in database 1. It could not write for 2.5 seconds.")
  })

  it("goes on to show a move that was asked before", async () => {
    run(
      1,
      `insert into team_moves (team_id, source, target, phase, requested_at) values ('${teamId}', 2, 1, 'copying', 1)`,
    )
    await move(1, arrive)
    expect(shown.join()).toContain("The team is in database 1.")
  })

  it("says why the Worker took it back", async () => {
    const refused = move(1, (look) => {
      if (look === 1)
        run(
          1,
          "update team_moves set phase = 'cancelling', last_error = 'Not moved: emails differ.'",
        )
      else run(1, "delete from team_moves")
    })
    expect(await refusalOf(refused)).toContain("Not moved: emails differ.")
  })

  it("moves on from where a team came to, once the source is deleted", async () => {
    run(
      1,
      `insert into team_moves (team_id, source, target, phase, requested_at, opened_at) values ('${teamId}', 1, 2, 'kept', 1, 2)`,
    )
    await move(1, (look) => {
      if (look > 1) return arrive()
      const row = stores[0]?.prepare("select then_to, delete_at from team_moves").get()
      expect({ ...row }).toEqual({ then_to: 1, delete_at: 0 })
      run(
        1,
        "update team_moves set source = 2, target = 1, then_to = null, phase = 'copying', opened_at = null",
      )
    })
    expect(shown.join()).toContain("What an earlier move left is deleted first.")
  })

  it.each([
    ["an unknown database", () => move(9), "There is no database 9."],
    ["the database where it is", () => move(2), "The team is in database 2 already."],
    [
      "another jurisdiction",
      () => move(3),
      "jurisdiction none, and database 3 has jurisdiction eu",
    ],
  ])("refuses %s", async (_, act, words) => {
    expect(await refusalOf(act())).toContain(words)
    expect(stores[0]?.prepare("select * from team_moves").all()).toEqual([])
  })

  it("leaves a jurisdiction if that is asked", async () => {
    await move(3, arrive, { mayLeave: true })
    expect(shown.join()).toContain("The team is in database 3.")
  })

  it("refuses an unknown team and one that is being deleted", async () => {
    run(2, "delete from teams")
    expect(await refusalOf(move(1))).toContain("There is no team with this id.")
    run(2, `insert into deleted_teams values ('${teamId}', 1)`)
    expect(await refusalOf(move(1))).toContain("The team is being deleted.")
  })

  it("refuses a second move while one is under way", async () => {
    run(
      1,
      `insert into team_moves (team_id, source, target, phase, requested_at) values ('${teamId}', 2, 3, 'copying', 1)`,
    )
    expect(await refusalOf(move(1))).toContain("on its way from database 2 to 3")
  })
})

describe("the list of moves", () => {
  const stateIn = async (phase: string, more = "null, null") => {
    run(1, "delete from team_moves")
    run(
      1,
      `insert into team_moves (team_id, source, target, phase, requested_at, moved, delete_at, last_error)
       values ('${teamId}', 2, 3, '${phase}', 1, 70, ${more})`,
    )
    const [move] = await listMoves(databases)
    expect(move).toMatchObject({ team: teamId, from: 2, to: 3 })
    return move?.state
  }

  it("says how far each is", async () => {
    expect(await stateIn("copying")).toBe("70 rows copied")
    expect(await stateIn("copying", "null, 'no answer'")).toBe("70 rows copied (no answer)")
    expect(await stateIn("draining")).toBe("waiting for mail and deliveries in flight")
    expect(await stateIn("switched")).toBe("moved; its rows in database 2 are being deleted")
    expect(await stateIn("kept", "86400000, null")).toBe("moved")
  })

  it("is empty without moves, and in a database of a version that has none", async () => {
    expect(await listMoves(databases)).toEqual([])
    run(1, "drop table team_moves")
    expect(await listMoves(databases)).toEqual([])
  })
})

describe("taking a move back", () => {
  const cancel = () => cancelMove(databases, teamId, { report: (line) => shown.push(line) })

  it("ends a copy", async () => {
    run(
      1,
      `insert into team_moves (team_id, source, target, phase, requested_at, held_by, held_until) values ('${teamId}', 2, 3, 'draining', 1, 'x', 99)`,
    )
    await cancel()
    const row = stores[0]?.prepare("select phase, held_by, held_until from team_moves").get()
    expect({ ...row }).toEqual({ phase: "cancelling", held_by: null, held_until: 0 })
  })

  it("is refused without a move, and after the switch", async () => {
    expect(await refusalOf(cancel())).toContain("The team is not moving.")
    run(
      1,
      `insert into team_moves (team_id, source, target, phase, requested_at) values ('${teamId}', 2, 3, 'kept', 1)`,
    )
    expect(await refusalOf(cancel())).toContain("The team is in database 3 already.")
  })
})
