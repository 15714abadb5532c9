import { useEffect, useState } from "react"
import { Button, buttonClass } from "../../ui/button.tsx"
import { cx } from "../../ui/cx.ts"
import { fileSize } from "../../ui/export/file-size.ts"
import { sayError } from "../../ui/toast.tsx"
import { attach } from "./replies.ts"
import { readFiles } from "./reply-files.ts"

/** The files of a reply, as they are chosen and taken away. */
export function useFiles(threadId: string) {
  const [files, setFiles] = useState<readonly File[]>([])
  useEffect(() => void readFiles(threadId).then(setFiles, sayError), [threadId])
  const change = (next: readonly File[]) =>
    void attach(threadId, next).then(() => setFiles(next), sayError)
  return { files, change }
}

type Files = ReturnType<typeof useFiles>

export function AttachedFiles({ files, change }: Files) {
  if (files.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-2 px-4 pb-3" aria-label="Files">
      {files.map((file, position) => (
        <li key={file.name + String(position)} className="flex max-w-full items-center gap-2">
          <span className="min-w-0 truncate">{file.name}</span>
          <span className="text-muted">{fileSize(file.size)}</span>
          <Button
            small
            kind="quiet"
            aria-label={`Remove ${file.name}`}
            onClick={() => change(files.filter((one) => one !== file))}
          >
            Remove
          </Button>
        </li>
      ))}
    </ul>
  )
}

export function AttachButton({ files, change }: Files) {
  return (
    <label
      className={cx(
        buttonClass(),
        "cursor-pointer focus-within:outline-2 focus-within:outline-focus",
      )}
    >
      Attach files
      <input
        type="file"
        multiple
        className="sr-only"
        onChange={({ target }) => {
          change([...files, ...(target.files ?? [])])
          target.value = ""
        }}
      />
    </label>
  )
}
