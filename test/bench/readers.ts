import { writeResult } from "../proof/result.ts"
import { apiCalls, send } from "./operations.ts"
import type { Platform } from "./platform.ts"
import { hundredCall } from "./scale-calls.ts"
import { printTable } from "./table.ts"

const READERS = 100
const SEED = 7
/** A reader breaks its connection off after this many changes, at most. */
const CHANGES_A_CONNECTION = 400
const WAIT_MS = 100
const REFUSED_WAIT_MS = 500
const GIVES_UP_AFTER_MS = 120_000

interface Reader {
  /** The id of each change that it was told, by sequence, in the order of arrival. */
  told: [sequence: number, id: string][]
  last: number
  connections: number
  /** Answers 429: broken connections count until the service notices. */
  refused: number
  resets: number
}

/** Readers of one team's stream, each of which breaks off and reconnects with its last position. */
export async function measureReaders(platform: Platform, changes: number) {
  const first = await newestSequence(platform)
  const readers = Array.from(
    { length: READERS },
    (): Reader => ({ told: [], last: first, connections: 0, refused: 0, resets: 0 }),
  )
  let isOver = false
  const next = createRandom(SEED)
  const following = readers.map((reader) => follow(platform, reader, next, () => isOver))
  await until(() => readers.every(({ connections }) => connections > 0))
  const startedAt = performance.now()
  while (Math.max(...readers.map(({ last }) => last)) < first + changes) {
    const reply = await send(platform.ports.edgepost, hundredCall(platform))
    if (reply.status !== 201) throw new Error(`The batch was answered ${reply.status}`)
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
  const end = first + changes
  await until(() => readers.every(({ last }) => last >= end))
  const seconds = (performance.now() - startedAt) / 1000
  isOver = true
  await Promise.all(following)
  keep(readers, { first, end, seconds })
}

/** Connects again and again until it is over, or the stream ends. */
async function follow(
  { ports, ...platform }: Platform,
  reader: Reader,
  next: () => number,
  isOver: () => boolean,
) {
  const { headers } = apiCalls({ ports, ...platform })
  while (!isOver()) {
    const stop = new AbortController()
    const patience = setInterval(() => isOver() && stop.abort(), WAIT_MS)
    const breaksOffAfter = 1 + Math.floor(next() * CHANGES_A_CONNECTION)
    try {
      const reply = await fetch(`http://127.0.0.1:${ports.edgepost}/api/v1/stream`, {
        headers: { ...headers, "last-event-id": String(reader.last) },
        signal: stop.signal,
      })
      if (reply.status === 429) {
        reader.refused++
        await new Promise((resolve) => setTimeout(resolve, REFUSED_WAIT_MS))
        continue
      }
      if (!reply.ok || !reply.body) throw new Error(`The stream was answered ${reply.status}`)
      await read(reply.body, reader, breaksOffAfter)
    } catch (error) {
      if (!isOver()) console.log(`A reader lost its connection: ${error}`)
    } finally {
      clearInterval(patience)
      stop.abort()
    }
  }
}

async function read(body: ReadableStream<Uint8Array>, reader: Reader, breaksOffAfter: number) {
  const decoder = new TextDecoder()
  const endsAt = reader.told.length + breaksOffAfter
  let text = ""
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const frames = `${text}${decoder.decode(bytes, { stream: true })}`.split("\n\n")
    text = frames.pop() ?? ""
    for (const frame of frames) {
      take(frame, reader)
      // What follows in this piece is thrown away, as a broken connection does.
      if (reader.told.length >= endsAt) return
    }
  }
}

function take(frame: string, reader: Reader) {
  if (frame === ": connected") reader.connections++
  const [, sequence, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(frame) ?? []
  if (!sequence || !data) return
  reader.last = Number(sequence)
  if (event === "change") reader.told.push([reader.last, JSON.parse(data).id])
  else reader.resets++
}

/** An unknown position is answered with the newest one. */
async function newestSequence(platform: Platform): Promise<number> {
  const reader: Reader = { told: [], last: 0, connections: 0, refused: 0, resets: 0 }
  const { headers } = apiCalls(platform)
  const stop = new AbortController()
  const reply = await fetch(`http://127.0.0.1:${platform.ports.edgepost}/api/v1/stream`, {
    headers: { ...headers, "last-event-id": "999999999999" },
    signal: stop.signal,
  })
  for await (const bytes of reply.body as unknown as AsyncIterable<Uint8Array>) {
    for (const frame of Buffer.from(bytes).toString().split("\n\n")) take(frame, reader)
    if (reader.resets > 0) break
  }
  stop.abort()
  return reader.last
}

interface Span {
  first: number
  end: number
  seconds: number
}

function keep(readers: readonly Reader[], { first, end, seconds }: Span) {
  const sum = (of: (reader: Reader) => number) =>
    readers.reduce((total, reader) => total + of(reader), 0)
  const upToEnd = ({ told }: Reader) => told.filter(([sequence]) => sequence <= end)
  const idOf = new Map(readers[0]?.told)
  const found = {
    missed: sum((reader) => end - first - new Set(upToEnd(reader).map(([at]) => at)).size),
    "told twice": sum(({ told }) => told.length - new Set(told.map(([at]) => at)).size),
    "out of order": sum(
      ({ told }) => told.filter(([at], index) => at <= (told[index - 1]?.[0] ?? first)).length,
    ),
    "told otherwise than to another reader": sum(
      (reader) => upToEnd(reader).filter(([at, id]) => idOf.get(at) !== id).length,
    ),
    resets: sum(({ resets }) => resets),
  }
  const reconnects = sum(({ connections }) => connections - 1)
  const figures = {
    readers: READERS,
    "changes of the team": end - first,
    "changes told to readers": sum((reader) => upToEnd(reader).length),
    "forced reconnects": reconnects,
    "answers 429, since broken connections count until they are noticed": sum(
      ({ refused }) => refused,
    ),
    ...found,
  }
  console.log(`\n${READERS} readers of one stream, for ${seconds.toFixed(0)} seconds`)
  printTable(
    ["", "", ""],
    Object.entries(figures).map(([name, value]) => [name, String(value), ""]),
  )
  writeResult("readers", {
    name: "A hundred readers of one stream",
    command: `npm run bench -- --parts readers --changes ${end - first}`,
    seeds: [SEED],
    figures,
    shows: `${READERS} readers follow one team while its mail is accepted, sent and delivered. Each breaks its connection off at random, also between changes that it has received, and connects again with \`Last-Event-ID\`. Missed, doubled and misplaced changes are counted by the sequence, over all readers.`,
    doesNotShow:
      "Readers far away, readers that take nothing, and an object that is moved to another machine: the seeded faults evict it.",
  })
  if (Object.values(found).some((value) => value > 0)) process.exitCode = 1
}

async function until(isDone: () => boolean) {
  const endsAt = performance.now() + GIVES_UP_AFTER_MS
  while (!isDone()) {
    if (performance.now() > endsAt) throw new Error("The readers did not get to the end")
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
}

/** The same numbers from 0 to 1 for the same seed. */
function createRandom(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
