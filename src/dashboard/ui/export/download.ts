/** The type keeps the browser from opening the file as a page. */
export function download(filename: string, content: BlobPart, type = "application/octet-stream") {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = filename
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}
