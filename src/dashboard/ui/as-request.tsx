import { Braces } from "lucide-react"
import { useState } from "react"
import { Button } from "./button.tsx"
import { Dialog } from "./dialog.tsx"
import { type Code, Snippet } from "./snippet.tsx"

export interface AsRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below `/api/v1`. */
  path: string
  json?: unknown
  /** The same call in the client library: `edgepost.emails.get("em_…")`. */
  library: string
}

/** Without a key, both read it from SVC_API_KEY. A curl before 7.82 does not know `--json`. */
export function requestCodes({ method, path, json, library }: AsRequest, key?: string): Code[] {
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${location.origin}/api/v1${path}"`,
    `  -H "authorization: Bearer ${key ?? "$SVC_API_KEY"}"`,
    ...(json === undefined ? [] : [`  -d ${quote(JSON.stringify(json, null, 2))}`]),
  ]
  return [
    { name: "curl", code: lines.join(" \\\n") },
    {
      name: "Library",
      code: `import { Edgepost } from "edgepost"\n\nconst edgepost = new Edgepost({ ${key ? `apiKey: "${key}", ` : ""}baseUrl: "${location.origin}" })\n${library}\n`,
    },
  ]
}

/** For a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Shows the call that does the same, on every object and every form. */
export function AsRequestButton(request: AsRequest) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        <Braces size={14} aria-hidden /> <span className="max-sm:sr-only">As a request</span>
      </Button>
      <Dialog
        wide
        open={open}
        onOpenChange={setOpen}
        title="As a request"
        description="The key is read from SVC_API_KEY."
      >
        {open && <Snippet codes={requestCodes(request)} />}
      </Dialog>
    </>
  )
}
