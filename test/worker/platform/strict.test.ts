import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { asInvocation } from "../../support/strict.ts"

const select = (value: string) => env.DB.prepare("select ?").bind(value).run()

it("a database refuses a value, a row or a result over its size", async () => {
  await expect(select("x".repeat(2_000_001))).rejects.toThrow("too big")
  const row = "select hex(zeroblob(600000)) as a, hex(zeroblob(600000)) as b"
  await expect(env.DB.prepare(row).run()).rejects.toThrow("too big")
  const many = "select hex(zeroblob(900000)) as a from json_each(?)"
  const rows = JSON.stringify(Array.from({ length: 30 }, () => 1))
  await expect(env.DB.prepare(many).bind(rows).run()).rejects.toThrow("50 MB")
})

it("a database refuses the 1,001st statement of an invocation, also within a batch", async () => {
  const hundred = () => env.DB.batch(Array.from({ length: 100 }, () => env.DB.prepare("select 1")))
  await asInvocation(async () => {
    for (let batch = 0; batch < 10; batch++) await hundred()
    await expect(select("one more")).rejects.toThrow("Too many API requests")
  })
  await asInvocation(() => select("another invocation"))
})

it("a queue refuses large messages, large batches and long delays", async () => {
  const body = (length: number) => "x".repeat(length)
  const batchOf = (count: number, length: number) =>
    Array.from({ length: count }, () => ({ body: body(length) }))
  const { SENDS } = env
  const refused = [
    () => SENDS.send(body(127_899)),
    () => SENDS.send("", { delaySeconds: 86_401 }),
    () => SENDS.sendBatch(batchOf(101, 1)),
    () => SENDS.sendBatch(batchOf(3, 100_000)),
  ]
  for (const send of refused) await expect((async () => send())()).rejects.toThrow("Queue")
})

it("a bucket refuses a second write of a key within a second", async () => {
  await env.CONTENT.put("strict", "one")
  await expect(env.CONTENT.put("strict", "two")).rejects.toThrow("10058")
  await env.CONTENT.put("another", "three")
})
