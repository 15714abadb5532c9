import { createInspector } from "./inspector.ts"
import type { Loader } from "./loader.ts"
import { apiCalls, message } from "./operations.ts"
import type { Platform } from "./platform.ts"
import { residentMib } from "./process.ts"
import { printTable } from "./table.ts"

const STEPS = 5
const CALL = 100
const MIB = 1024 * 1024
const BETWEEN_READINGS_MS = 300
/** The number of calls ends a load before. */
const AN_HOUR = 3_600

/**
 * The heap of the service's isolate after garbage collection, and the memory of workerd, while
 * emails are accepted and sent. Then the highest heap while 16 large calls are under way.
 */
export async function measureMemory(platform: Platform, loader: Loader, accepted: number) {
  const { ports, workerd } = platform
  const { api } = apiCalls(platform)
  const inspector = await createInspector(ports.inspector)
  const heapMib = async () => {
    const collected = inspector.send("HeapProfiler.collectGarbage")
    // workerd does what the inspector asks when the isolate has a request.
    await Promise.all([collected, fetch(`http://127.0.0.1:${ports.edgepost}/none`)])
    const usage = await inspector.send<HeapUsage>("Runtime.getHeapUsage")
    return (usage.usedSize + (usage.backingStorageSize ?? 0)) / MIB
  }
  const lines: string[][] = []
  const note = (name: string, heap: number) =>
    lines.push([name, heap.toFixed(1), residentMib(workerd).toFixed(0), ""])
  const load = { port: ports.edgepost, status: 201, seconds: AN_HOUR }
  note("at the start", await heapMib())
  const call = api("POST", "/emails/batch", Array(CALL).fill(message()))
  for (let step = 1; step <= STEPS; step++) {
    await loader.run({ ...load, call, connections: 4, calls: accepted / CALL / STEPS })
    note(`${(accepted / STEPS) * step} emails`, await heapMib())
  }
  for (const [name, body] of largeCalls()) {
    const large = api("POST", Array.isArray(body) ? "/emails/batch" : "/emails", body)
    const run = loader.run({ ...load, call: large, connections: 16, calls: 48 })
    note(`while 16 at once: ${name}`, await highest(heapMib, run))
    note("afterwards", await heapMib())
  }
  inspector.close()
  console.log("\nMemory of the isolate (with its buffers, after garbage collection) and of workerd")
  printTable(["", "heap MiB", "workerd MiB", ""], lines)
}

interface HeapUsage {
  usedSize: number
  /** The buffers of typed arrays. */
  backingStorageSize?: number
}

async function highest(read: () => Promise<number>, run: Promise<unknown>): Promise<number> {
  let isOver = false
  const end = run.finally(() => {
    isOver = true
  })
  let most = 0
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_READINGS_MS))
    most = Math.max(most, await read())
  }
  await end
  return most
}

const later = () => ({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() })

const largeCalls = (): [string, unknown][] => [
  [
    "a hundred emails with 5 MiB of html",
    Array.from({ length: CALL }, () =>
      message({ html: `<p>${"Hello there. ".repeat((5 * MIB) / CALL / 13)}</p>`, ...later() }),
    ),
  ],
  [
    "10 MiB of attachments",
    message({
      attachments: [
        { filename: "file.bin", content: Buffer.alloc(10 * MIB, 7).toString("base64") },
      ],
      ...later(),
    }),
  ],
]
