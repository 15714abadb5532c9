import { DatabaseSync } from "node:sqlite"
import { beforeEach, describe, expect, it } from "vitest"
import { compareTeams } from "../../src/operations/backups/restored-teams.ts"
import { migrationFiles, readMigration } from "../../src/operations/migrations.ts"

const migrations = migrationFiles().map(readMigration)

let stores: DatabaseSync[]
let shown: string[]

beforeEach(() => {
  stores = [1, 2, 3].map(() => new DatabaseSync(":memory:"))
  for (const store of stores) for (const migration of migrations) store.exec(migration)
  shown = []
  for (const [teamId, database] of [
    ["team_second", 2],
    ["team_third", 3],
  ] as const) {
    addTeam(database, teamId)
    place(teamId, database)
  }
  addTeam(1, "team_first")
})

const run = (number: number, sql: string) => stores[number - 1]?.exec(sql)
const addTeam = (number: number, id: string) =>
  run(number, `insert into teams (id, name, created_at) values ('${id}', 'Acme', 1)`)
const place = (id: string, number: number) =>
  run(1, `insert into team_databases values ('${id}', 'Acme', 0, ${number}, 1)`)

const compare = (restored: number) =>
  compareTeams({
    numbers: [1, 2, 3],
    restored,
    query: async <Row>(number: number, sql: string) =>
      stores[number - 1]?.prepare(sql).all() as Row[],
    report: (line) => shown.push(line),
    now: () => 10_000,
  })

const moves = () =>
  stores[0]?.prepare("select team_id, source, target, phase from team_moves order by 1").all()

describe("the restore of one of several databases", () => {
  it.each([1, 2, 3])(
    "says nothing where all teams are in their places: database %i",
    async (one) => {
      await compare(one)
      expect(shown).toEqual([])
      expect(moves()).toEqual([])
    },
  )

  it("deletes teams that have left it since, and none that was deleted since", async () => {
    for (const id of ["team_first", "team_third", "team_deleted"]) addTeam(2, id)
    await compare(2)
    expect(moves()).toEqual([
      { team_id: "team_first", source: 2, target: 1, phase: "deleting" },
      { team_id: "team_third", source: 2, target: 3, phase: "deleting" },
    ])
    expect(shown).toEqual([
      `These teams have left database 2 since then. The Worker deletes what it has of them:
team_first, team_third.`,
    ])
  })

  it("names teams that came there since", async () => {
    run(2, "delete from teams")
    await compare(2)
    expect(shown).toEqual([
      `The directory places these teams in database 2, which has nothing of them:
team_second. Restore all databases to one time, or undo this restore.`,
    ])
  })

  it("deletes nothing elsewhere if it is the directory, and names what nobody finds", async () => {
    run(1, "update team_databases set database = 3 where team_id = 'team_second'")
    await compare(1)
    expect(moves()).toEqual([])
    expect(shown).toEqual([
      `Database 2 has these teams, but the directory does not place them there, so nobody finds them:
team_second. Restore all databases to one time, or undo this restore.`,
      `The directory places these teams in database 3, which has nothing of them:
team_second. Restore all databases to one time, or undo this restore.`,
    ])
  })
})
