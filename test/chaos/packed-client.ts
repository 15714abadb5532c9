import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

export type { Change, ChangeStream, Edgepost, Email, EmailInput, Reset } from "edgepost"

export interface PackedClient {
  Edgepost: typeof import("edgepost").Edgepost
  EdgepostError: typeof import("edgepost").EdgepostError
  verifyWebhook: typeof import("edgepost/webhooks").verifyWebhook
}

/** The package of `npm run pack`, as the installation serves it, in a project of its own. */
export async function installClient(project: string, baseUrl: string): Promise<PackedClient> {
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }')
  // npm looks for the optional peers of the package, and installs it without an answer, too.
  const options = ["--silent", "--no-audit", "--fetch-retries=0"]
  execFileSync("npm", ["install", ...options, `${baseUrl}/edgepost.tgz`], { cwd: project })
  const entry = (file: string) =>
    import(pathToFileURL(join(project, "node_modules/edgepost", file)).href)
  return { ...(await entry("index.js")), ...(await entry("webhooks.js")) }
}
