import { useQuery } from "@tanstack/react-query"
import type {
  getEmailAttachment,
  getEmailContent,
  getEmailSource,
} from "../../../../worker/emails/content/contract.ts"
import { call, path } from "../../../api/api.ts"
import { isNotFound } from "../../../api/queries.ts"
import type { ReplyOf } from "../../../api/session.ts"
import { Empty } from "../../../ui/empty.tsx"
import { download } from "../../../ui/export/download.ts"
import { FileButtons } from "../../../ui/export/file-buttons.tsx"
import { MailFrame } from "../../../ui/frame.tsx"
import { Facts } from "../../../ui/page.tsx"
import { Raw } from "../../../ui/request/raw.tsx"
import { Loaded } from "../../../ui/waiting.tsx"

type Content = ReplyOf<typeof getEmailContent>

export const readContent = (id: string) =>
  call<typeof getEmailContent>({ method: "GET", path: path`/emails/${id}/content` })

export const readAttachment = (id: string, position: number) =>
  call<typeof getEmailAttachment>({
    method: "GET",
    path: path`/emails/${id}/attachments/${String(position)}`,
  })

/** Content does not change, so the stream's changes leave it alone. */
export const useContent = (id: string) =>
  useQuery({
    queryKey: ["content", id],
    queryFn: () => readContent(id),
    staleTime: Number.POSITIVE_INFINITY,
  })

function WithContent({
  id,
  children,
}: {
  id: string
  children(content: Content): React.ReactNode
}) {
  const content = useContent(id)
  if (isNotFound(content.error)) {
    return (
      <Empty title="Content no longer available">
        The retention period ended, or the recipient or the campaign was deleted. The timeline is
        kept.
      </Empty>
    )
  }
  return <Loaded query={content}>{children}</Loaded>
}

export function EmailBody({ id }: { id: string }) {
  return (
    <WithContent id={id}>
      {({ html, text, attachments }) => (
        <div className="grid gap-4">
          {html ? <MailFrame html={html} /> : <Raw text={text ?? ""} />}
          <Attachments id={id} files={attachments} />
        </div>
      )}
    </WithContent>
  )
}

export function EmailText({ id }: { id: string }) {
  return (
    <WithContent id={id}>
      {({ text }) =>
        text ? (
          <Raw text={text} />
        ) : (
          <Empty title="No text part">
            Edgepost generates one from the HTML, unless you send an empty text. See the source.
          </Empty>
        )
      }
    </WithContent>
  )
}

export function EmailHeaders({ id }: { id: string }) {
  return (
    <WithContent id={id}>
      {({ headers }) =>
        Object.keys(headers).length === 0 ? (
          <Empty title="No custom headers">See the source for all headers of the message.</Empty>
        ) : (
          <Facts
            facts={Object.entries(headers).map(([name, value]) => [
              name,
              <code key={name} className="font-mono text-xs break-all">
                {value}
              </code>,
            ])}
          />
        )
      }
    </WithContent>
  )
}

export function EmailSource({ id }: { id: string }) {
  const source = useQuery({
    queryKey: ["source", id],
    queryFn: () => call<typeof getEmailSource>({ method: "GET", path: path`/emails/${id}/source` }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <WithContent id={id}>
      {() => <Loaded query={source}>{(one) => <Raw text={one.source} />}</Loaded>}
    </WithContent>
  )
}

interface AttachmentsProps {
  id: string
  files: Content["attachments"]
}

export const Attachments = ({ id, files }: AttachmentsProps) => (
  <FileButtons
    files={files.map(({ filename, bytes }) => ({ name: filename, bytes }))}
    save={async (_, position) => {
      const { filename, content } = await readAttachment(id, position)
      download(
        filename,
        Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0)),
      )
    }}
  />
)
