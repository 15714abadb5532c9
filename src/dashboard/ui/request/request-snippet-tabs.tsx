import { type AsRequest, requestCodes } from "./request-codes.ts"
import { Snippet } from "./snippet.tsx"

export default function RequestSnippetTabs({
  request,
  secret,
}: {
  request: AsRequest
  secret?: string | undefined
}) {
  return <Snippet remember="language" codes={requestCodes(request, location.origin, secret)} />
}
