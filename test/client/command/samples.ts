/** What the examples of the help find on the disk. */
export const files: Record<string, string> = {
  "key.txt": "svc_live_from-a-file\n",
}

/** What they find in the API. */
export const routes: Parameters<typeof import("./fake-api.ts").startApi>[0] = {}
