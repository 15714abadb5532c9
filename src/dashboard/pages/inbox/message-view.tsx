import { useQuery } from "@tanstack/react-query"
import type { SandboxMessage } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { Link } from "../../app/link.tsx"
import { Empty } from "../../ui/empty.tsx"
import { MailFrame } from "../../ui/frame.tsx"
import { Facts } from "../../ui/page.tsx"
import { Raw } from "../../ui/request/raw.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { Time } from "../../ui/time/time.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { Extracts } from "./extracts.tsx"
import { Files } from "./files.tsx"
import { useFiles, withImages } from "./mime.ts"

export function MessageView({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ["inbox-message", id],
    queryFn: async () => (await api.sandbox.list({ emailId: id, limit: 1 })).data[0] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Loaded query={query}>
      {(message) =>
        message ? (
          <Message message={message} />
        ) : (
          <Empty title="Message not found">
            <p>
              It was not sent to the sandbox, or its content was deleted.{" "}
              <Link to={`/emails/${id}`} className="underline">
                Open the email
              </Link>
            </p>
          </Empty>
        )
      }
    </Loaded>
  )
}

function Message({ message }: { message: SandboxMessage }) {
  const { html, text, headers, raw, subject, attachments } = message
  const files = useFiles(message)
  return (
    <article className="grid min-w-0 content-start gap-4">
      <h2 className="text-lg font-semibold wrap-anywhere">{subject || "No subject"}</h2>
      <Facts
        facts={[
          ["From", [headers.from].flat()[0] ?? message.envelope.from],
          ["To", message.envelope.to.join(", ")],
          ["Captured", <Time key="at" at={message.createdAt} />],
          [
            "Email",
            <Link
              key="email"
              to={`/emails/${message.emailId}`}
              className="inline-block font-mono text-xs text-balance underline underline-offset-2 break-all max-sm:text-[11px]"
            >
              {message.emailId}
            </Link>,
          ],
        ]}
      />
      <Extracts message={message} />
      <Tabs
        label="Parts of the message"
        tabs={[
          html !== null && {
            name: "Message",
            children: <MailFrame html={withImages(html, files.data)} title={subject} />,
          },
          text !== null && { name: "Text", children: <Raw text={text} label="Copy text" /> },
          attachments.length > 0 && {
            name: `Files (${attachments.length})`,
            children: <Files message={message} query={files} />,
          },
          { name: "Headers", children: <Headers headers={headers} /> },
          { name: "Source", children: <Raw text={raw} label="Copy source" /> },
        ]}
      />
    </article>
  )
}

function Headers({ headers }: { headers: SandboxMessage["headers"] }) {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  )
  return <Raw text={lines.join("\n")} label="Copy headers" />
}
