import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf } from "../platform/http/page.ts"
import { listSequences, sequence, tag } from "./contract.ts"

const sequenceRow = sequence
  .pick({ id: true, name: true, status: true, updatedAt: true, counts: true })
  .meta({
    id: "SequenceRow",
    example: {
      ...{ id: exampleId("sequence"), name: "Welcome", status: "draft", updatedAt: EXAMPLE_TIME },
      counts: { entered: 0, active: 0, finished: 0, ended: 0 },
    },
  })

export const listSequenceRows = endpoint({
  name: "sequences.rows",
  call: "GET /sequence-rows",
  access: "session",
  dashboardRole: "member",
  tag,
  summary: "List sequences without their steps, newest first",
  query: listSequences.query,
  response: pageOf(sequenceRow),
})
