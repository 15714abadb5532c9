import { describe, it } from "vitest"
import { sendEmail } from "../../../src/worker/emails/contract.ts"
import { parseJson } from "../../../src/worker/platform/http/input/body.ts"
import { readInput } from "../../../src/worker/platform/http/input/read-input.ts"
import { sendMembers, toSendInput } from "../../../src/worker/resend/emails/send-members.ts"
import { toJson } from "../../../src/worker/resend/route.ts"
import { expectCheap } from "../../support/cost.ts"

const email = { from: "a@demo.test", to: "b@example.com", subject: "Hello", text: "Hello" }
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

describe("an email in Resend's names costs little to read, with", () => {
  it.each([
    ["a large attachment", { attachments: [{ filename: "a", content: "+/".repeat(6_500_000) }] }],
    [
      "a Buffer as a list of bytes",
      {
        attachments: [{ filename: "a", content: { type: "Buffer", data: Array(290_000).fill(1) } }],
      },
    ],
    ["far too many tags", { tags: Array(90_000).fill({ name: "a", value: "b" }) }],
    ["far too many attachments", { attachments: Array(200_000).fill({}) }],
    [
      "far too many headers",
      {
        headers: Object.fromEntries(Array.from({ length: 140_000 }, (_, key) => [`x-${key}`, "a"])),
      },
    ],
  ])("%s", async (_what, changed) => {
    const body = bytesOf({ ...email, ...changed })
    await expectCheap(() => {
      try {
        toJson(sendEmail, toSendInput(readInput(sendMembers, parseJson(body))))
      } catch {
        // A refusal costs as much.
      }
    })
  })
})
