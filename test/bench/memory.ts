import { openInspector } from "./inspector.ts"
import type { Loader } from "./loader.ts"
import { apiCalls, message } from "./operations.ts"
import { type Platform, residentMib } from "./platform.ts"
import { printTable } from "./table.ts"

const STEPS = 5
const CALL = 100
const MIB = 1024 * 1024

/**
 * The heap of the service's isolate after garbage collection, and the memory of workerd, while
 * emails are accepted and sent. Then the heap's peak under large calls.
 */
export async function measureMemory(platform: Platform, loader: Loader, accepted: number) {
  const { ports, workerd } = platform
  const { api } = apiCalls(platform)
  const inspector = await openInspector(ports.inspector)
  const heapMib = async () => {
    await inspector.send("HeapProfiler.collectGarbage")
    const { usedSize } = await inspector.send<{ usedSize: number }>("Runtime.getHeapUsage")
    return usedSize / MIB
  }
  const lines: string[][] = []
  const note = async (name: string) =>
    lines.push([name, (await heapMib()).toFixed(1), residentMib(workerd).toFixed(0), ""])
  await note("at the start")
  const call = api("POST", "/emails/batch", Array(CALL).fill(message()))
  for (let step = 1; step <= STEPS; step++) {
    await loader.run({
      port: ports.edgepost,
      call,
      status: 201,
      connections: 4,
      seconds: Number.POSITIVE_INFINITY,
      calls: accepted / CALL / STEPS,
    })
    await note(`${(accepted / STEPS) * step} emails`)
  }
  for (const [name, body] of largeCalls()) {
    await loader.run({
      port: ports.edgepost,
      call: api("POST", Array.isArray(body) ? "/emails/batch" : "/emails", body),
      status: 201,
      connections: 16,
      seconds: Number.POSITIVE_INFINITY,
      calls: 32,
    })
    await note(`after 16 at once: ${name}`)
  }
  inspector.close()
  console.log("\nMemory")
  printTable(["", "heap MiB", "workerd MiB", ""], lines)
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
