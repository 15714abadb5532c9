import { sha256Hex } from "../../src/lib/crypto.ts"
import { createKeyCtx } from "../../src/worker/access/key-guard.ts"
import { sendEvents } from "../../src/worker/contact-events/send.ts"
import { startRuns } from "../../src/worker/sequences/runs/runs.ts"
import { createDriver } from "./driver.ts"
import { makeTeam, type Team } from "./team.ts"

export const sequenceInput = ({ domain, domainId }: Team, bookId: string) => ({
  bookId,
  name: "Welcome",
  domainId,
  from: `News <news@${domain}>`,
  trigger: { on: "call" } as object,
  steps: [] as object[],
})

export const send = (key: string, subject = `Mail ${key}`) => ({
  key,
  kind: "send",
  subject,
  blocks: [{ kind: "text", html: "Hi {{ firstName }}" }],
})
export const wait = (key: string, duration = "1d") => ({ key, kind: "wait", for: duration })

/** A team with a book, and queues and a clock in the test's hands. */
export async function makeStage() {
  const team = await makeTeam()
  const { body: book } = await team.api.post("/contact-books", { name: "Readers" })
  const driver = createDriver()
  const ctx = () => createKeyCtx(driver.work, sha256Hex(team.api.key), "full")
  const stage = {
    ...{ team, driver, bookId: book.id as string },
    async addContact(email: string, more: object = {}): Promise<string> {
      const { body } = await team.api.post(`/contact-books/${book.id}/contacts`, { email, ...more })
      return body.id
    },
    async addSequence(change: object, { active = true } = {}): Promise<string> {
      const input = { ...sequenceInput(team, book.id), ...change }
      const { status, body } = await team.api.post("/sequences", input)
      if (status !== 201) throw new Error(JSON.stringify(body))
      if (active) {
        const activated = await team.api.post(`/sequences/${body.id}/activate`, {})
        if (activated.status !== 200) throw new Error(JSON.stringify(activated.body))
      }
      return body.id
    },
    /** As the call does, by the clock of the test. */
    start: (id: string, ...contactIds: string[]) => startRuns(ctx(), id, contactIds),
    event: (name: string, contactId: string) =>
      sendEvents(ctx(), { name, contactId, properties: {} }),
    /** The minute's work, and what comes of it. */
    async pass(minutes = 1) {
      await driver.pass(minutes)
      await driver.drain()
    },
    async runOf(id: string, contactId: string) {
      const { body } = await team.api.get(`/sequences/${id}/runs?contactId=${contactId}`)
      const [found] = body.data
      return found && (await team.api.get(`/runs/${found.id}`)).body
    },
    async mailOf(
      id: string,
    ): Promise<{ id: string; subject: string; status: string; to: string[] }[]> {
      const { body } = await team.api.get(`/emails?sequenceId=${id}&limit=100`)
      return body.data.toReversed()
    },
  }
  return stage
}
