import type { UseQueryResult } from "@tanstack/react-query"
import type { SandboxMessage } from "../../../client/types.ts"
import { Button } from "../../ui/button.tsx"
import { download } from "../../ui/export/download.ts"
import { fileSize } from "../../ui/export/file-size.ts"
import { Card } from "../../ui/page.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import type { File } from "./mime.ts"

/** The files of the message. An inline image stands in the message, too. */
export function Files({
  message,
  query,
}: {
  message: SandboxMessage
  query: UseQueryResult<File[]>
}) {
  return (
    <Loaded query={query} lines={message.attachments.length}>
      {(files) => (
        <Card className="divide-y">
          {files.map(({ filename, contentType, contentId, bytes }, position) => (
            <div
              key={filename + String(position)}
              className="flex flex-wrap items-center justify-between gap-2 px-4 py-2"
            >
              <span className="min-w-0">
                <span className="font-medium wrap-anywhere">{filename}</span>{" "}
                <span className="text-muted">
                  {contentType}, {fileSize(bytes.length)}
                  {contentId && `, inline (${contentId})`}
                </span>
              </span>
              <Button
                small
                aria-label={`Download ${filename}`}
                onClick={() => download(filename, bytes)}
              >
                Download
              </Button>
            </div>
          ))}
        </Card>
      )}
    </Loaded>
  )
}
