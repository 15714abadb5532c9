import { useQuery } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"
import type { ReceivedEmail, ReceivedEmailWithTexts } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Button } from "../../ui/button.tsx"
import { download } from "../../ui/export/download.ts"
import { FileButtons } from "../../ui/export/file-buttons.tsx"
import { MailFrame } from "../../ui/frame.tsx"
import { hasQuote, hasRemoteImage } from "../../ui/show-mail.ts"
import { sayError } from "../../ui/toast.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { withImages } from "../inbox/mime.ts"
import { receivedQuery } from "./data.ts"
import { PlainText } from "./plain-text.tsx"
import { UNREAD } from "./unread.ts"

type File = ReceivedEmail["attachments"][number]

/** A received message. Whoever opens it has read it. */
export function ReceivedBody({ received }: { received: ReceivedEmail }) {
  const { id, read, parsed, attachments } = received
  const query = useQuery(receivedQuery(id))
  useEffect(() => {
    if (read) return
    api.receivedEmails
      .update(id, { read: true })
      .then(() => queries.invalidateQueries({ queryKey: UNREAD }), sayError)
  }, [id, read])
  if (parsed === false) return <Unreadable id={id} />
  return (
    <div className="grid min-w-0 gap-4">
      <Loaded query={query} lines={2}>
        {(whole) => (whole.html === null ? <Text {...whole} /> : <Html {...whole} />)}
      </Loaded>
      <FileButtons
        files={attachments.map((file) => ({
          name: file.filename ?? "unnamed",
          bytes: file.size,
          id: file.id,
        }))}
        save={async (file) =>
          download(file.name, new Uint8Array(await api.receivedEmails.attachment(id, file.id)))
        }
      />
    </div>
  )
}

function Text({ text, replyText }: ReceivedEmailWithTexts) {
  const [isWhole, setWhole] = useState(false)
  const whole = text ?? ""
  const reply = replyText || whole
  return (
    <>
      <PlainText text={isWhole ? whole : reply} />
      {reply.trim() !== whole.trim() && <QuoteButton isShown={isWhole} onChange={setWhole} />}
    </>
  )
}

function Html({ id, html, attachments }: ReceivedEmailWithTexts) {
  const [showsImages, showImages] = useState(false)
  const [showsQuotes, showQuotes] = useState(false)
  const files = useInlineImages(id, attachments)
  const written = useMemo(() => withImages(html ?? "", files), [html, files])
  const strangers = useMemo(
    () => ({ showsImages, foldsQuotes: !showsQuotes }),
    [showsImages, showsQuotes],
  )
  return (
    <>
      {!showsImages && hasRemoteImage(written) && (
        <div className="flex flex-wrap items-center gap-3 text-muted">
          <span>Remote images are hidden. They tell the sender that you opened the message.</span>
          <Button small onClick={() => showImages(true)}>
            Show images
          </Button>
        </div>
      )}
      <MailFrame key={String(showsImages)} html={written} strangers={strangers} />
      {hasQuote(written) && <QuoteButton isShown={showsQuotes} onChange={showQuotes} />}
    </>
  )
}

interface QuoteProps {
  isShown: boolean
  onChange(isShown: boolean): void
}

const QuoteButton = ({ isShown, onChange }: QuoteProps) => (
  <Button
    small
    aria-expanded={isShown}
    onClick={() => onChange(!isShown)}
    className="justify-self-start"
  >
    {isShown ? "Hide quoted text" : "Show quoted text"}
  </Button>
)

/** Larger ones are downloads alone. */
const MAX_INLINE_BYTES = 2_000_000

/** The images that stand within the message itself. */
function useInlineImages(id: string, attachments: readonly File[]) {
  const inline = attachments.filter(
    ({ contentId, contentType, size }) =>
      contentId !== null && contentType.startsWith("image/") && size <= MAX_INLINE_BYTES,
  )
  return useQuery({
    queryKey: ["received", id, "images"],
    queryFn: () =>
      Promise.all(
        inline.map(async ({ id: fileId, contentId, contentType, filename }) => ({
          filename: filename ?? "",
          contentType,
          contentId: contentId?.replace(/^<|>$/g, "") ?? null,
          bytes: new Uint8Array(await api.receivedEmails.attachment(id, fileId)),
        })),
      ),
    enabled: inline.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  }).data
}

const Unreadable = ({ id }: { id: string }) => (
  <div className="flex flex-wrap items-center gap-3">
    <span>This message cannot be displayed.</span>
    <Button
      small
      onClick={() =>
        api.receivedEmails
          .raw(id)
          .then((raw) => download(`${id}.eml`, new Uint8Array(raw)), sayError)
      }
    >
      Download original
    </Button>
  </div>
)
