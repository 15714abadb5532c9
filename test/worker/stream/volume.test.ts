import { expect, it } from "vitest"
import { changesOf, openStream, publishChanges, toFrames } from "../../support/stream.ts"
import { makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

it("sends 3,000 changes to 100 readers, each once and in order, while readers die and resume", async () => {
  const { id, api } = await makeTeam()
  const { work } = testWork()
  const changes = changesOf(id, 3_000)
  const frames = toFrames(changes).map(
    ({ id, event, data }) => `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`,
  )
  const readers = await Promise.all(
    Array.from({ length: 100 }, () => followed(api.key, frames.at(-1) as string)),
  )
  const victims = readers.values()
  for (let sent = 0; sent < changes.length; sent += 30) {
    await publishChanges(work, changes.slice(sent, sent + 30))
    victims.next().value?.kill()
  }
  const expected = frames.join("")
  for (const reader of readers) expect((await reader.all) === expected).toBe(true)
  expect(readers.filter(({ resumed }) => resumed()).length).toBeGreaterThan(50)
})

/** Reads the text of all frames to the last one; a kill makes it resume behind the last whole one. */
async function followed(key: string, lastFrame: string) {
  const decoder = new TextDecoder()
  let text = ""
  let resumes = -1
  let reader: ReadableStreamBYOBReader
  const connect = async () => {
    text = text.slice(0, text.lastIndexOf("\n\n") + 2)
    const lastEventId = text.match(/id: (\d+)\n.+\n.+\n\n$/)?.[1] ?? "0"
    const { body } = await openStream(key, lastEventId)
    reader = (body as ReadableStream<Uint8Array>).getReader({ mode: "byob" })
    resumes++
  }
  const read = async () => {
    while (!text.endsWith(lastFrame)) {
      const chunk = await reader.read(new Uint8Array(64 * 1024)).catch(() => null)
      if (chunk?.value?.length) text += decoder.decode(chunk.value)
      else await connect()
    }
    await reader.cancel()
    return text.replaceAll(": connected\n\n", "")
  }
  await connect()
  return { all: read(), kill: () => reader.cancel(), resumed: () => resumes > 0 }
}
