import { expect, it } from "vitest"
import { makeTeam } from "../../support/team.ts"

it("creates, lists, changes and deletes topics", async () => {
  const { api } = await makeTeam()
  const first = await api.post("/topics", { name: " Product news ", description: " " })
  expect(first.status).toBe(201)
  expect(first.body).toEqual({
    id: expect.stringMatching(/^top_[0-9A-HJKMNP-TV-Z]{26}$/),
    name: "Product news",
    description: null,
    default: "subscribed",
    createdAt: expect.any(String),
    updatedAt: first.body.createdAt,
  })
  const second = await api.post("/topics", { name: "Offers", default: "unsubscribed" })
  const changed = await api.patch(`/topics/${first.body.id}`, { description: "Once a month" })
  expect(changed.body).toMatchObject({ name: "Product news", description: "Once a month" })
  const { body: page } = await api.get("/topics?limit=1")
  expect(page.data).toEqual([second.body])
  const rest = await api.get(`/topics?limit=1&cursor=${page.nextCursor}`)
  expect(rest.body).toEqual({ data: [changed.body], nextCursor: null })
  expect((await api.delete(`/topics/${second.body.id}`)).status).toBe(204)
  expect((await api.delete(`/topics/${second.body.id}`)).status).toBe(404)
  expect((await api.get("/topics")).body.data).toEqual([changed.body])
})

it("refuses what a topic cannot be", async () => {
  const { api } = await makeTeam()
  for (const input of [{}, { name: " " }, { name: "News", default: "maybe" }, { name: null }]) {
    expect((await api.post("/topics", input)).body.error.code).toBe("validation_error")
  }
  const { body } = await api.post("/topics", { name: "News" })
  expect((await api.patch(`/topics/${body.id}`, {})).status).toBe(400)
  expect((await api.get(`/topics/${body.id}`)).status).toBe(405)
})

it("refuses the 51st topic, also of calls that race", async () => {
  const { api } = await makeTeam()
  const replies = await Promise.all(
    Array.from({ length: 55 }, (_, i) => api.post("/topics", { name: `Topic ${i}` })),
  )
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(50)
  const refused = replies.filter(({ status }) => status !== 201)
  expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
    Array(5).fill([409, "conflict"]),
  )
})
