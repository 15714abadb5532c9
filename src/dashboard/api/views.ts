import { queryOptions } from "@tanstack/react-query"
import type {
  createView,
  deleteView,
  listViews,
  SavedView as Stored,
  updateView,
} from "../../worker/views/contract.ts"
import { call, path } from "./api.ts"
import { refresh } from "./queries.ts"
import type { ReplyOf } from "./session.ts"

export type SavedView = ReplyOf<typeof listViews>["data"][number]

/** A team has fewer views than a page has rows. */
export async function readViews(): Promise<SavedView[]> {
  const page = await call<typeof listViews>({
    method: "GET",
    path: "/views",
    query: { limit: 100 },
  })
  return page.data.toSorted((a, b) => a.name.localeCompare(b.name))
}

export const viewsQuery = queryOptions({ queryKey: ["views"], queryFn: readViews })

export async function createSavedView(body: Pick<Stored, "name" | "query">): Promise<void> {
  await call<typeof createView>({ method: "POST", path: "/views", body })
  await refresh("views")
}

export async function updateSavedView(
  id: string,
  body: Partial<Pick<Stored, "name" | "query">>,
): Promise<void> {
  await call<typeof updateView>({ method: "PATCH", path: path`/views/${id}`, body })
  await refresh("views")
}

export async function deleteSavedView(id: string): Promise<void> {
  await call<typeof deleteView>({ method: "DELETE", path: path`/views/${id}` })
  await refresh("views")
}
