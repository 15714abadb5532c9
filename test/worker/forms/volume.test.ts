import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { submit } from "../../../src/worker/forms/submit.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

/** The nightly posts more. */
const POSTS = Number(env.FORM_POSTS || 300)
const AT_ONCE = 50
const HOUR_MS = 3_600_000

async function makeForm() {
  const team = await makeTeam()
  const { body: book } = await team.api.post("/contact-books", {
    name: "Readers",
    defaultFrom: `news@${team.domain}`,
  })
  const { body: form } = await team.api.post("/forms", {
    ...{ bookId: book.id, name: "Form", wording: "Yes, send me the news." },
    fields: [{ name: "city", label: "City", type: "text", required: false }],
  })
  const email = `stranger-${team.id}@example.com`.toLowerCase()
  const clock = makeClock()
  const { work, settled } = testWork({ clock })
  return {
    ...{ clock, settled },
    post: (count: number) =>
      submit(work, {
        ...{ formId: form.id, email, network: `10.0.${count % 250}.0/24` },
        submitted: { properties: { city: "x".repeat(1_000) } },
      }),
    async mails() {
      const { body } = await team.api.get(`/emails?to=${email}`)
      return body.data.length
    },
    asked: async () => (await team.api.get(`/forms/${form.id}`)).body.counts.asked,
  }
}

it("any number of posts of a form for one stranger send one mail, and store the first alone", async () => {
  const { clock, post, settled, mails, asked } = await makeForm()
  await post(0)
  await settled()
  let [rowsWritten, rowsRead] = [0, 0]
  for (let count = 1; count < POSTS; count += AT_ONCE) {
    // All posts are within a day.
    clock.advance((23 * HOUR_MS * AT_ONCE) / POSTS)
    const meter = await metered(() =>
      Promise.all(Array.from({ length: AT_ONCE }, (_, index) => post(count + index))),
    )
    rowsWritten += meter.rowsWritten
    rowsRead = Math.max(rowsRead, meter.rowsRead)
  }
  await settled()
  expect(rowsWritten).toBe(0)
  expect(rowsRead).toBeLessThanOrEqual(AT_ONCE * 35)
  expect([await mails(), await asked()]).toEqual([1, 1])
}, 600_000)

it("posts that arrive together send one mail", async () => {
  const { post, settled, mails, asked } = await makeForm()
  await Promise.all(Array.from({ length: AT_ONCE }, (_, count) => post(count)))
  await settled()
  expect([await mails(), await asked()]).toEqual([1, 1])
})
