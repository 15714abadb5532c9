import { queryOptions } from "@tanstack/react-query"
import type { getLayout, updateLayout } from "../../../worker/campaigns/layouts/contract.ts"
import { call, path } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"

export type Layout = ReplyOf<typeof getLayout>

export const layoutQuery = (id: string) =>
  queryOptions<Layout>({
    queryKey: ["layouts", "one", id],
    queryFn: () => call<typeof getLayout>({ method: "GET", path: path`/layouts/${id}` }),
    refetchOnWindowFocus: "always",
  })

export async function saveLayout(id: string, changes: Partial<Layout>): Promise<Layout> {
  const saved = await call<typeof updateLayout>({
    method: "PATCH",
    path: path`/layouts/${id}`,
    body: changes,
  })
  queries.setQueryData(layoutQuery(id).queryKey, saved)
  queries.invalidateQueries({ queryKey: ["layouts"], refetchType: "none" })
  return saved
}
