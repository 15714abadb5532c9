import { Button } from "../button.tsx"
import { sayError } from "../toast.tsx"
import { fileSize } from "./file-size.ts"

interface File {
  name: string
  bytes: number
}

/** The files of a message, each with a button that downloads it. */
export function FileButtons<T extends File>({
  files,
  save,
}: {
  files: readonly T[]
  save(file: T, position: number): Promise<unknown>
}) {
  if (files.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-2" aria-label="Files">
      {files.map((file, position) => (
        <li key={file.name + String(position)} className="max-w-full">
          <Button className="max-w-full" onClick={() => save(file, position).catch(sayError)}>
            <span className="sr-only">Download</span>
            <span className="truncate">{file.name}</span>
            <span className="text-muted">{fileSize(file.bytes)}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}
