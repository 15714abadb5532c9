import { afterAll, beforeAll, expect, it } from "vitest"
import { makeTeam } from "../../support/team.ts"
import { ok } from "./calls.ts"
import { createResend, routeFetch } from "./package.ts"

let fetched: ReturnType<typeof routeFetch>
beforeAll(() => {
  fetched = routeFetch()
})
afterAll(() => fetched.mockRestore())

it("topics and the choices of a contact are those of the API", async () => {
  const team = await makeTeam()
  const resend = createResend(team.api.key)
  const news = await ok(
    resend.topics.create({ name: "News", description: "Weekly", defaultSubscription: "opt_in" }),
  )
  const offers = await ok(resend.topics.create({ name: "Offers", defaultSubscription: "opt_out" }))
  expect(await ok(resend.topics.get(news.id))).toEqual({
    object: "topic",
    id: news.id,
    name: "News",
    description: "Weekly",
    default_subscription: "opt_in",
    created_at: expect.any(String),
  })
  expect((await ok(resend.topics.list())).data.map(({ id }) => id)).toEqual([offers.id, news.id])
  const who = { email: "ada@example.com" }
  const segment = await ok(resend.segments.create({ name: "Readers" }))
  await ok(
    resend.contacts.create({
      ...who,
      segments: [{ id: segment.id }],
      topics: [{ id: news.id, subscription: "opt_out" }],
    }),
  )
  const choices = async () =>
    Object.fromEntries(
      (await ok(resend.contacts.topics.list(who))).data.map(({ id, subscription }) => [
        id,
        subscription,
      ]),
    )
  expect(await choices()).toEqual({ [news.id]: "opt_out", [offers.id]: "opt_out" })
  await ok(
    resend.contacts.topics.update({ ...who, topics: [{ id: offers.id, subscription: "opt_in" }] }),
  )
  expect(await choices()).toEqual({ [news.id]: "opt_out", [offers.id]: "opt_in" })
  for (const book of (await team.api.get("/contact-books")).body.data) {
    const { data } = (await team.api.get(`/contact-books/${book.id}/contacts`)).body
    expect(data[0].topics).toEqual({ [news.id]: false, [offers.id]: true })
  }
  const unknown = [{ id: "top_none", subscription: "opt_in" as const }]
  expect(await resend.contacts.topics.update({ ...who, topics: unknown })).toMatchObject({
    data: null,
    error: { message: expect.stringContaining("Topic not found") },
  })
  await ok(resend.topics.remove(news.id))
  expect(await choices()).toEqual({ [offers.id]: "opt_in" })
})
