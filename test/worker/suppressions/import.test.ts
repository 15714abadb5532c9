import { expect, it } from "vitest"
import { makeTeam } from "../../support/team.ts"

async function makeImport() {
  const { api } = await makeTeam()
  const importCsv = async (csv: string, more: object = {}) =>
    (await api.post("/suppressions/import", { csv, ...more })).body
  const listOf = async () =>
    (await api.get("/suppressions?limit=100")).body.data.map(
      ({ id: _, ...entry }: { id: string }) => entry,
    )
  return { api, importCsv, listOf }
}

it("suppresses the addresses of a file, with reasons in many words", async () => {
  const { api, importCsv, listOf } = await makeImport()
  await api.post("/suppressions", { email: "known@x.test", note: "By phone" })
  const csv = [
    "Email,reason,other",
    "a@x.test,bounce,1",
    "B@x.test,Hard bounced,1",
    "c@x.test,Spam report,1",
    "d@x.test,unsubscribed,1",
    "e@x.test,550 5.1.1,1",
    "known@x.test,bounce,1",
    "a@x.test,manual,1",
    "nobody,,1",
  ].join("\n")
  const report = await importCsv(csv, { reason: "complaint" })
  expect(report).toEqual({
    added: 5,
    existing: 1,
    errors: [{ line: 9, email: "nobody", message: "Not an email address" }],
  })
  const reasons = Object.fromEntries(
    (await listOf()).map(({ email, reason }: { email: string; reason: string }) => [email, reason]),
  )
  expect(reasons).toEqual({
    ...{ "a@x.test": "bounce", "b@x.test": "bounce", "c@x.test": "complaint" },
    ...{ "d@x.test": "unsubscribe", "e@x.test": "complaint", "known@x.test": "manual" },
  })
})

it("takes an export as it was", async () => {
  const [from, to] = [await makeImport(), await makeImport()]
  const times = "2026-05-04T03:02:01.000Z"
  const csv = `email,reason,note,source_email_id,created_at\na@x.test,complaint,'=1,em_1,${times}\nb@x.test,manual,,,${times}`
  await from.importCsv(csv)
  expect(await from.listOf()).toContainEqual({
    ...{ email: "a@x.test", reason: "complaint", note: "=1", sourceEmailId: "em_1" },
    createdAt: times,
  })
  await to.importCsv(csv)
  expect(await to.listOf()).toEqual(await from.listOf())
})

it("takes the quotes of an export off addresses", async () => {
  const { importCsv, listOf } = await makeImport()
  await importCsv("email\n'+1555@x.test\n'-b@x.test\n'=c@x.test\n''+d@x.test\n'e@x.test")
  const emails = (await listOf()).map(({ email }: { email: string }) => email)
  expect(emails.sort()).toEqual([
    "'+d@x.test",
    "'e@x.test",
    "+1555@x.test",
    "-b@x.test",
    "=c@x.test",
  ])
})

it("refuses a file without addresses", async () => {
  const { api } = await makeImport()
  const { status } = await api.post("/suppressions/import", { csv: "name\nAda" })
  expect(status).toBe(400)
})
