import { beforeEach, expect, it } from "vitest"
import { takeMessage } from "../../../src/worker/received/taking/take.ts"
import { RFC_8463 } from "../../support/dkim-example.ts"
import { createDriver } from "../../support/driver.ts"
import { DNS_HOST, makeFakeDns } from "../../support/fake-dns.ts"
import { fakeOutside } from "../../support/outside.ts"
import { makeInbox, receive } from "../../support/receiving.ts"
import { makeTeam } from "../../support/team.ts"

const { keys, signatures, header, body } = RFC_8463
const signed = `${signatures.join("")}${header}\r\n${body}`
const DOMAIN = "football.example.com"

beforeEach(() => {
  const { zone, handler } = makeFakeDns()
  for (const [name, key] of Object.entries(keys)) zone.set(`TXT ${name}`, key)
  fakeOutside({ [DNS_HOST]: handler })
})

it("is verified by a signature of the sender's domain", async () => {
  const team = await makeTeam()
  const { sender } = await receive(team, (await makeInbox(team)).address, signed)
  const dkim = signatures.map(() => ({ domain: DOMAIN, result: "pass" }))
  expect(sender).toEqual({ state: "verified", domain: DOMAIN, dkim })
})

it("has failed where the text was changed", async () => {
  const team = await makeTeam()
  const changed = signed.replace("lost the game", "won the game")
  const { sender } = await receive(team, (await makeInbox(team)).address, changed)
  expect([sender.state, sender.domain]).toEqual(["failed", null])
})

it.each([
  ["names two senders", header.replace("From: ", "From: boss@example.net\r\nFrom: ")],
  ["names another domain", header.replace(DOMAIN, "example.net")],
])("is unverified where the message %s", async (_, other) => {
  const team = await makeTeam()
  const message = `${signatures.join("")}${other}\r\n${body}`
  const { sender } = await receive(team, (await makeInbox(team)).address, message)
  expect([sender.state, sender.domain]).toEqual(["unverified", null])
})

it("is asked of DNS for an hour", async () => {
  fakeOutside({ [DNS_HOST]: () => Response.json({ Status: 2 }) })
  const driver = createDriver()
  const team = await makeTeam()
  const { id: inboxId, address: to } = await makeInbox(team)
  const message = new Blob([signed])
  const { id } = await takeMessage(driver.work, {
    ...{ teamId: team.id, inboxId, envelope: { from: "", to } },
    ...{ message: message.stream(), size: message.size },
  })
  const read = async () => (await team.api.get(`/received-emails/${id}`)).body
  await driver.pass()
  expect((await read()).parsed).toBeNull()
  driver.clock.advance(61 * 60_000)
  await driver.pass()
  const { parsed, sender } = await read()
  expect([parsed, sender.state]).toEqual([true, "unverified"])
  expect(sender.dkim[0]).toEqual({ domain: DOMAIN, result: "temperror" })
})
