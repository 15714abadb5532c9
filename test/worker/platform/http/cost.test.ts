import { beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { createCampaign } from "../../../../src/worker/campaigns/contract.ts"
import { readCsv } from "../../../../src/worker/contacts/import/csv.ts"
import { prepare } from "../../../../src/worker/emails/accept/prepare.ts"
import { sendInput } from "../../../../src/worker/emails/send-input.ts"
import { bytesOf } from "../../../../src/worker/platform/db/overflow.ts"
import { packContents } from "../../../../src/worker/platform/db/packed-content.ts"
import { parseJson } from "../../../../src/worker/platform/http/input/body.ts"
import { readInput, readItems } from "../../../../src/worker/platform/http/input/read-input.ts"
import { expectCheap } from "../../../support/cost.ts"

const MIB = 1024 * 1024
const jsonOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const random = (bytes: number) => Buffer.alloc(bytes, 0).map(() => Math.random() * 256)

const email = { from: "a@demo.test", to: "b@example.com", subject: "Hello" }
const sendWith = (content: string) =>
  jsonOf({ ...email, text: "Hello", attachments: [{ filename: "a", content }] })

describe("a send that is read costs little, its attachment", () => {
  it.each([
    ["in standard base64", "+/".repeat(6_500_000)],
    ["in URL-safe base64", "-_".repeat(6_500_000)],
    ["in lines of one character", "a\n".repeat(12_000_000)],
    ["not in base64", `${"a".repeat(24_000_000)}!`],
  ])("%s", async (_what, content) => {
    const body = sendWith(content)
    await expectCheap(() => {
      try {
        readInput(sendInput, parseJson(body))
      } catch {
        // A refusal costs as much.
      }
    })
  })
})

describe("a body that is read costs little, made of", () => {
  const names = (object: number) =>
    Array.from({ length: 99 }, (_, index) => `"name${object}_${index}":1`).join()

  it.each([
    ["bytes that are no UTF-8", Buffer.concat([Buffer.from('"'), Buffer.alloc(26_000_000, 0xff)])],
    ["letters of two bytes", Buffer.from(`"${"\u00e9".repeat(13_000_000)}"`)],
    ["letters of four bytes", Buffer.from(`"${"\ud83d\ude00".repeat(6_500_000)}"`)],
    ["escaped letters", Buffer.from(`"${"\\u4e00".repeat(4_300_000)}"`)],
    ["escaped slashes", Buffer.from(`"${"\\/".repeat(13_000_000)}"`)],
    ["blanks", Buffer.from(`[${" ".repeat(26_000_000)}]`)],
    [
      "many different names",
      Buffer.from(`[${Array.from({ length: 2_900 }, (_, at) => `{${names(at)}}`).join()}]`),
    ],
    [
      "fewer different names",
      Buffer.from(`[${Array.from({ length: 1_010 }, (_, at) => `{${names(at)}}`).join()}]`),
    ],
  ])("%s", async (_what, body) => {
    await expectCheap(() => {
      try {
        parseJson(body)
      } catch {
        // A refusal costs as much.
      }
    })
  })
})

describe("a batch that is prepared costs little, of a hundred with", () => {
  it.each([
    ["quotes and line ends", '"\n'.repeat(60_000)],
    ["prose", "<p>Hello there</p>".repeat(13_000)],
    ["letters of three bytes", "\u4e00\u9f98".repeat(40_000)],
  ])("%s", async (_what, html) => {
    const items = Array.from({ length: 100 }, (_, index) => ({
      ...{ ...email, html },
      idempotencyKey: `k${index}`,
    }))
    const body = jsonOf(items)
    await expectCheap(() => {
      const inputs = readItems(z.array(sendInput), parseJson(body))
      const message = { subject: "", html, text: null, templateId: null }
      for (const input of inputs) prepare({ now: Date.now }, input, { ok: true, message }, 0)
      const contents = inputs.map(({ headers, attachments }) => ({
        ...{ html, text: null, headers, attachments },
      }))
      for (const packed of packContents(contents)) {
        for (const part of Array.isArray(packed) ? packed : []) Buffer.from(part)
      }
    })
  })
})

describe("a send that is prepared costs little, with", () => {
  const noise = random(2 * MIB)
  const letters = (length: number) =>
    Array.from({ length }, (_, index) =>
      String.fromCharCode(0x400 + noise[index % noise.length]!),
    ).join("")
  const keyed = { ...email, idempotencyKey: "k", overrideSuppression: true }

  it.each([
    ["text of two bytes a letter", letters(4_600_000), letters(4_600_000)],
    ["text of three bytes a letter", "\u4e00\u9f98".repeat(2_100_000), letters(4_600_000)],
    ["letters that JSON escapes", "\u0001".repeat(2_000_000), "\u0001".repeat(2_000_000)],
    ["quotes and line ends", '"\n'.repeat(2_500_000), '"\n'.repeat(2_500_000)],
  ])("%s", async (_what, html, text) => {
    const body = jsonOf({ ...keyed, html, text })
    await expectCheap(() => {
      const input = readInput(sendInput, parseJson(body))
      const { subject = "", headers, attachments } = input
      const message = { subject, html, text, templateId: null }
      prepare({ now: Date.now }, input, { ok: true, message }, 0)
      const [packed] = packContents([{ html, text, headers, attachments }])
      for (const part of packed as string[]) Buffer.from(part)
    })
  })
})

describe("contents that are stored cost little", () => {
  let noise = ""
  beforeAll(() => {
    noise = random(15 * MIB).toString("base64")
  })
  const message = { html: null, text: null, headers: {}, attachments: [] }
  const pieces = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) =>
      noise.slice((index * length) % (noise.length / 2)).slice(0, length),
    )

  it("of a hundred texts that gzip makes no smaller", async () => {
    const contents = pieces(100, 240_000).map((html) => ({ ...message, html }))
    await expectCheap(() => packContents(contents))
    expect(bytesOf(packContents(contents).at(-1)!)).toBeGreaterThan(240_000)
  })

  it("of many small files", async () => {
    const contents = pieces(100, 60_000).map((content) => ({
      ...message,
      attachments: Array(4).fill({ filename: "a", content }),
    }))
    await expectCheap(() => packContents(contents))
    expect(bytesOf(packContents(contents)[0]!)).toBeGreaterThan(4 * 60_000)
  })
})

describe("a CSV file that is read costs little, made of", () => {
  it.each([
    ["rows without a value", `email\n${",\n".repeat(MIB)}`, "cells"],
    ["blank lines", `email\n${"\n".repeat(2 * MIB)}`, null],
    ["one row of cells", `email\n${"x,".repeat(MIB)}`, null],
    ["a header", "x,".repeat(MIB), "cells"],
    ["a wide header", `email,${"x,".repeat(1_000)}\n`, "columns"],
    ["rows that are too long", `email\n${`${"x,".repeat(104)}\n`.repeat(10_000)}`, "cells"],
    ["rows of all the properties", `email\n${`${"x,".repeat(53)}\n`.repeat(10_000)}`, null],
    ["quotes", `email\n"${'""'.repeat(MIB)}"`, null],
    ["blanks", `email\n${" ".repeat(2 * MIB)}x`, null],
  ])("%s", async (_what, csv, refusal) => {
    const read = () => readCsv(csv.slice(0, 2 * MIB), 10_000)
    if (refusal !== null) await expect(read()).rejects.toThrow(refusal)
    await expectCheap(() => read().catch(() => null))
  })
})

describe("a campaign that is read costs little, made of", () => {
  const fields = { name: "N", bookId: "b", domainId: "d", from: "a@b.co", subject: "S" }
  it.each([
    ["empty cells", {}],
    ["cells without their text", { kind: "text" }],
    ["dividers", { kind: "divider" }],
  ])("%s", async (_what, cell) => {
    const columns = Array(3).fill(Array(100).fill(cell))
    const blocks = Array(100).fill({ kind: "columns", layout: "1-1-1", columns })
    const body = jsonOf({ ...fields, blocks })
    const read = () => readInput(createCampaign.json, parseJson(body))
    expect(read).toThrow()
    await expectCheap(() => {
      try {
        read()
      } catch {
        // A refusal is what costs.
      }
    })
  })
})
