import { Badge } from "../../ui/badge.tsx"
import { Card } from "../../ui/page.tsx"
import { CopyButton } from "../../ui/request/copy.tsx"
import { Time } from "../../ui/time/time.tsx"
import { duration } from "../../ui/time/times.ts"
import type { DeliveryDetail } from "./data.ts"
import { answerOf } from "./state.tsx"

type Attempt = DeliveryDetail["attempts"][number]

const isOk = ({ statusCode }: Attempt) =>
  statusCode !== null && statusCode >= 200 && statusCode < 300

export function AttemptCard({
  attempt,
  request,
}: {
  attempt: Attempt
  request?: { url: string; headers: Record<string, string> } | undefined
}) {
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="flex flex-wrap items-center gap-x-4">
          <span className="font-medium">Attempt {attempt.number}</span>
          <Badge state={isOk(attempt) ? "succeeded" : "failed"} label={answerOf(attempt)} />
        </span>
        <span className="text-muted">
          <Time at={attempt.startedAt} /> · took {duration(attempt.durationMs)}
        </span>
      </div>
      <div className="mt-3 grid gap-3">
        {request && (
          <Part
            title="Request"
            text={[
              `POST ${request.url}`,
              ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
            ].join("\n")}
          />
        )}
        {attempt.responseExcerpt !== null ? (
          <Part title="Response, first 500 bytes" text={attempt.responseExcerpt} />
        ) : (
          <p className="text-muted">
            {attempt.statusCode === null ? "No response." : "The response had no body."}
          </p>
        )}
      </div>
    </Card>
  )
}

const Part = ({ title, text }: { title: string; text: string }) => (
  <div className="min-w-0">
    <div className="flex items-center justify-between text-xs text-muted">
      {title}
      <CopyButton text={text} label={`Copy ${title.toLowerCase()}`} />
    </div>
    <pre className="max-h-60 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs break-all whitespace-pre-wrap">
      {text}
    </pre>
  </div>
)
