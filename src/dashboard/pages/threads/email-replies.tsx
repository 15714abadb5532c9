import { useQuery } from "@tanstack/react-query"
import { Link } from "../../app/link.tsx"
import { Card, Section } from "../../ui/page.tsx"
import { Time } from "../../ui/time/time.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { receivedQuery } from "./data.ts"
import { nameOf, Proof } from "./proof.tsx"

/** Who answered an email, and what they wrote. */
export default function EmailReplies({ ids }: { ids: readonly string[] }) {
  return (
    <Section title="Replies">
      <Card className="divide-y">
        {ids.map((id) => (
          <Reply key={id} id={id} />
        ))}
      </Card>
    </Section>
  )
}

function Reply({ id }: { id: string }) {
  const query = useQuery(receivedQuery(id))
  return (
    <div className="grid gap-1 px-4 py-3">
      <Loaded query={query} lines={1}>
        {(received) => (
          <>
            <div className="flex flex-wrap items-center gap-x-3">
              <Link
                to={`/threads/${received.threadId}`}
                className="font-medium underline-offset-2 wrap-anywhere hover:underline"
              >
                {nameOf(received)}
              </Link>
              <Proof received={received} />
              <span className="ml-auto text-muted">
                <Time at={received.createdAt} />
              </span>
            </div>
            <p className="line-clamp-3 whitespace-pre-line text-muted wrap-anywhere">
              {received.replyText || received.text || received.subject}
            </p>
          </>
        )}
      </Loaded>
    </div>
  )
}
